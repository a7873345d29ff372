import type { FastifyReply } from 'fastify'
import { escapeHtml, sendPage } from './html.ts'

/** For errors without a valid redirect URI. The page repeats nothing from the request. */
export function sendErrorPage(reply: FastifyReply, status: number, message: string): FastifyReply {
  return sendPage(
    reply,
    status,
    'Sign-in failed',
    `<h1>Sign-in failed</h1><p>${escapeHtml(message)}</p><p>Go back to the app and try again. If the problem persists, contact the developer of the app.</p>`,
  )
}
