import { createTransport } from 'nodemailer'
import { SECOND } from '../clock.ts'
import { upstreamUnavailable } from './ask-upstream.ts'
import type { SignIn } from './sign-in.ts'

const TIMEOUT = 10 * SECOND

/** Sends one plain-text mail through the configured server, which has it when this returns. @throws ApiError unavailable */
export async function sendMail(
  { config, log }: SignIn,
  mail: { to: string; subject: string; text: string },
): Promise<void> {
  const settings = config.identity.mail
  if (!settings) throw upstreamUnavailable('The mail server')
  const transport = createTransport({
    url: settings.server,
    connectionTimeout: TIMEOUT,
    greetingTimeout: TIMEOUT,
    socketTimeout: TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from: settings.from,
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
    })
  } catch (error) {
    log.warn({ err: error }, 'a mail was not sent')
    throw upstreamUnavailable('The mail server')
  } finally {
    transport.close()
  }
}
