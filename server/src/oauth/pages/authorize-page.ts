import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { sendPage } from './html.ts'

/** The page of one authorization request: a frame that authorize.js fills through the JSON API. */
export function sendAuthorizePage(reply: FastifyReply): FastifyReply {
  return sendPage(
    reply,
    200,
    'Sign in',
    `<div id="content" aria-live="polite"><p>One moment…</p></div><noscript><p>Signing in needs JavaScript: passkeys and wallets are asked by it.</p></noscript><script type="module" src="/oauth/assets/authorize.js"></script>`,
  )
}

const asset = (name: string, type: string) => ({ type, bytes: readFileSync(join(import.meta.dirname, name)) })

export const pageAssets = new Map([
  ['authorize.js', asset('authorize.js', 'text/javascript; charset=utf-8')],
  ['authorize.css', asset('authorize.css', 'text/css; charset=utf-8')],
])
