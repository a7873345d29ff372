import type { Config } from '../config.ts'
import { mailTransport } from '../outgoing/send-mail.ts'
import { notSet } from '../settings/social-settings.ts'
import { type Finding, off, ok, problem } from './finding.ts'

const name = 'Mail server'

/** Connects and authenticates; sends no mail. */
export async function examineMail({ identity }: Config, timeout: number): Promise<Finding> {
  if (!identity.mail) return off(name, notSet(identity.unset.mail))
  const { host } = new URL(identity.mail.server)
  const transport = await mailTransport(identity.mail.server, timeout)
  try {
    await transport.verify()
    return ok(name, `${host} accepts mail`)
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    if (code === 'EAUTH' || responseCode === 535)
      return problem(name, `${host} rejects the user or password`, 'Check QUESTBOARD_SMTP_URL.')
    return problem(
      name,
      `${host} cannot be used (${code ?? 'unknown'})`,
      'Check QUESTBOARD_SMTP_URL: smtps:// for TLS from the start (465), smtp:// for STARTTLS (587); and the firewall.',
    )
  } finally {
    transport.close()
  }
}
