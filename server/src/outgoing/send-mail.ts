import { SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../logging/log.ts'

const TIMEOUT = 10 * SECOND

/** @param timeout milliseconds for each step */
export async function mailTransport(server: string, timeout: number) {
  // Many installations send no mail.
  const { createTransport } = await import('nodemailer')
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
 * Sends a plain-text mail. Returns whether the mail server accepted or refused it, or whether the outcome is unknown.
 */
export async function sendMail(
  { config, log }: { config: Config; log: Logger },
  mail: { to: string; subject: string; text: string },
): Promise<'taken' | 'refused' | 'unknown'> {
  const settings = config.identity.mail
  if (!settings) return 'refused'
  const transport = await mailTransport(settings.server, TIMEOUT)
  try {
    await transport.sendMail({
      from: settings.from,
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
    })
    return 'taken'
  } catch (error) {
    log.warn({ err: error }, 'could not send a mail')
    return isRefusal(error) ? 'refused' : 'unknown'
  } finally {
    transport.close()
  }
}

/**
 * Whether the server refused the mail or was never reached. If the connection breaks later, the mail may have been
 * accepted.
 */
function isRefusal(error: unknown): boolean {
  const { responseCode = 0, syscall, code, timeoutType } = error as SmtpError
  const reached = syscall !== 'connect' && code !== 'EDNS' && (timeoutType ?? 'SOCKET_TIMEOUT') === 'SOCKET_TIMEOUT'
  return responseCode >= 400 || !reached
}

/** The fields of Nodemailer's errors. */
interface SmtpError {
  responseCode?: number
  syscall?: string
  code?: string
  /** For timeouts: only SOCKET_TIMEOUT occurs after greeting and TLS. */
  timeoutType?: string
}
