import { createTransport } from 'nodemailer'
import { SECOND } from '../clock.ts'
import { upstreamUnavailable } from './ask-upstream.ts'
import type { SignIn } from './sign-in.ts'

const TIMEOUT = 10 * SECOND

/** Each step may take so many milliseconds. */
export function mailTransport(server: string, timeout: number) {
  return createTransport({
    url: server,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Sends one plain-text mail through the configured server, which has it when this returns. @throws ApiError unavailable */
export async function sendMail(
  { config, log }: SignIn,
  mail: { to: string; subject: string; text: string },
): Promise<void> {
  const settings = config.identity.mail
  if (!settings) throw upstreamUnavailable('The mail server')
  const transport = mailTransport(settings.server, TIMEOUT)
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
