import type { FastifyReply } from 'fastify'
import type { Brand } from '../../settings/brand.ts'
import { html } from '../../text/html.ts'
import { describeFault, type PageFault } from '../page-error.ts'
import { sendPage } from './html.ts'

/**
 * For errors without a valid redirect URI. The page repeats nothing from the request.
 * @param detail an English text for developers
 */
export function sendErrorPage(
  reply: FastifyReply,
  brand: Brand,
  { status, fault, detail }: { status: number; fault: PageFault; detail?: string | undefined },
): FastifyReply {
  return sendPage(reply, status, brand, ({ signInFailed: texts }) => ({
    title: texts.title,
    body: html`<main id="main" class="alone">
      <h1>${texts.title}</h1>
      <p>${describeFault(texts.faults, fault)}</p>
      ${detail === undefined ? undefined : html`<p>${texts.detail} <span lang="en">${detail}</span></p>`}
      <p>${texts.help}</p>
    </main>`,
  }))
}
