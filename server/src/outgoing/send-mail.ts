import { createTransport } from 'nodemailer'
import { SECOND } from '../clock.ts'
import type { Services } from '../services.ts'

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

/**
 * Sends one plain-text mail through the configured server. Answers whether that server has taken it, has certainly not, or
 * fell silent in between.
 */
export async function sendMail(
  { config, log }: Pick<Services, 'config' | 'log'>,
  mail: { to: string; subject: string; text: string },
): Promise<'taken' | 'refused' | 'unknown'> {
  const settings = config.identity.mail
  if (!settings) return 'refused'
  const transport = mailTransport(settings.server, TIMEOUT)
  try {
    await transport.sendMail({
      from: settings.from,
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
    })
    return 'taken'
  } catch (error) {
    log.warn({ err: error }, 'a mail was not sent')
    return isRefusal(error) ? 'refused' : 'unknown'
  } finally {
    transport.close()
  }
}

/** The server said no, or was never spoken to: a connection that breaks later may have brought the mail. */
function isRefusal(error: unknown): boolean {
  const { responseCode = 0, syscall, code, timeoutType } = error as SmtpError
  const reached = syscall !== 'connect' && code !== 'EDNS' && (timeoutType ?? 'SOCKET_TIMEOUT') === 'SOCKET_TIMEOUT'
  return responseCode >= 400 || !reached
}

/** What Nodemailer puts on its errors. */
interface SmtpError {
  responseCode?: number
  syscall?: string
  code?: string
  /** Of a timeout: only SOCKET_TIMEOUT comes after the greeting and TLS. */
  timeoutType?: string
}
