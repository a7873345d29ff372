import type { FastifyReply } from 'fastify'
import { escapeHtml, sendPage } from './html.ts'

/** A fault that has no app to go back to. Nothing of the request is repeated on it but our own words. */
export function sendErrorPage(reply: FastifyReply, status: number, message: string): FastifyReply {
  return sendPage(
    reply,
    status,
    'Sign-in not possible',
    `<h1>Sign-in not possible</h1><p>${escapeHtml(message)}</p><p>Go back to the app and try again; if it happens again, tell the makers of the app.</p>`,
  )
}
