import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { SECOND } from '../../clock.ts'
import { equalHashes } from '../../secrets/hashes.ts'
import { addAttempt } from '../../rate-limits/fixed-window.queries.ts'
import { identityError } from '../identity-error.ts'
import type { ChallengeKind } from '../challenge-kind.ts'
import { readUpstreamName } from './upstream-name.ts'

const kindDataShape = z.object({ issuedAt: z.number() })
const text = z
  .string()
  .max(300)
  .regex(/^[^\n\r\0]*$/)
const proofShape = z.strictObject({
  id: z.union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,19}$/)]).transform(String),
  auth_date: z.union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,11}$/)]).transform(String),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  first_name: text.optional(),
  last_name: text.optional(),
  username: text.optional(),
  photo_url: text.optional(),
})
/** Allowed difference between Telegram's clock and ours. */
const TOLERANCE_SECONDS = 60

/**
 * The older login widget (core.telegram.org/widgets/login), for bots without OpenID Connect. The signed data does not
 * contain our challenge, so it must be younger than the challenge and is accepted once.
 */
export const telegramWidget: ChallengeKind = {
  kind: 'Telegram',
  label: 'Telegram',
  browser: { way: 'telegram-widget', discovery: 'redirect', needs: [] },
  off({ identity }) {
    if (identity.telegram.client) return 'QUESTBOARD_TELEGRAM_CLIENT_ID is set: Telegram signs in by OpenID Connect'
    return identity.telegram.botToken === undefined ? 'QUESTBOARD_TELEGRAM_BOT_TOKEN is not set' : undefined
  },
  async challenge({ services, site, issuedAt }) {
    const { issuer, botToken } = services.config.identity.telegram
    const query = new URLSearchParams({
      bot_id: botToken?.split(':')[0] ?? '',
      origin: site.origin,
      return_to: `${site.issuer}/sign-in`,
    })
    return {
      kindData: { issuedAt: Math.floor(issuedAt.getTime() / SECOND) },
      shown: { widget: { url: `${issuer}/auth?${query.toString()}` } },
    }
  },
  async verify({ services: services }, kindData, proof) {
    const { issuedAt } = kindDataShape.parse(kindData)
    const parsed = proofShape.safeParse(proof)
    if (!parsed.success) {
      const field = String(parsed.error.issues[0]?.path[0] ?? 'hash')
      throw identityError('bad_request', `${field} is missing or malformed`, field)
    }
    const { hash, ...fields } = parsed.data
    const token = services.config.identity.telegram.botToken ?? ''
    if (!equalHashes(Buffer.from(hash, 'hex'), widgetHash(token, fields)))
      throw identityError('bad_signature', 'The answer was not signed by Telegram for this bot', 'hash')
    const signedAt = Number(fields.auth_date)
    const now = Math.floor(services.clock.now() / SECOND)
    if (signedAt < issuedAt - TOLERANCE_SECONDS || signedAt > now + TOLERANCE_SECONDS)
      throw identityError('expired', 'The answer is older than the challenge; sign in again', 'auth_date')
    if ((await addAttempt(services.database.kysely, `telegram-answer:${hash}`, signedAt)) > 1)
      throw identityError('bad_signature', 'This answer was used before; sign in again', 'hash')
    return { identity: { subject: fields.id, username: readUpstreamName(fields.username ?? '') } }
  },
}

/** HMAC over the sorted lines `name=value`; the key is the hash of the bot token. */
export function widgetHash(botToken: string, fields: Record<string, string | undefined>): Buffer {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
  return createHmac('sha256', createHash('sha256').update(botToken).digest()).update(lines.join('\n')).digest()
}
