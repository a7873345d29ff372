import type { FastifyReply } from 'fastify'
import type { Brand } from '../../settings/brand.ts'
import { html } from '../../text/html.ts'
import { sendPage } from './html.ts'

/** For errors without a valid redirect URI. The page repeats nothing from the request. */
export function sendErrorPage(reply: FastifyReply, brand: Brand, status: number, message: string): FastifyReply {
  return sendPage(reply, status, brand, {
    title: 'Sign-in failed',
    body: html`<main id="main" class="alone">
      <h1>Sign-in failed</h1>
      <p>${message}</p>
      <p>Go back to the app and try again. If the problem persists, contact the developer of the app.</p>
    </main>`,
  })
}
