import type { Config } from '../config.ts'
import { mailTransport } from '../outgoing/send-mail.ts'
import { type Finding, notSet, ok, problem } from './finding.ts'

const name = 'Mail server'

/** Connects and authenticates; sends no mail. */
export async function examineMail({ identity }: Config, timeout: number): Promise<Finding> {
  if (!identity.mail) return notSet(name, identity.unset.mail)
  const { host } = new URL(identity.mail.server)
  const transport = await mailTransport(identity.mail.server, timeout)
  try {
    await transport.verify()
    return ok(name, 'mail.ok', { host })
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    if (code === 'EAUTH' || responseCode === 535) return problem(name, 'mail.refused', { host })
    return problem(name, 'mail.unusable', { host, code: code ?? 'unknown' })
  } finally {
    transport.close()
  }
}
