import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

export interface Delivery {
  headers: Record<string, string | string[] | undefined>
  /** The body as it came: not parsed, not trimmed. */
  body: Buffer
}

/**
 * The id of a delivery that was signed with one of the secrets within the last five minutes (Standard Webhooks).
 * @param secrets `whsec_` and base64; two while a secret is being replaced
 * @throws Error that says what is wrong
 */
export function verifyDelivery({ headers, body }: Delivery, secrets: readonly string[], now = new Date()): string {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signatures = headers['webhook-signature']
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    throw new Error('the delivery lacks webhook-id, webhook-timestamp or webhook-signature')
  // Also rejects a timestamp that cannot be read as a number.
  if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS))
    throw new Error('the delivery is older than five minutes, or of the future')
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []))
  const expected = secrets.map((secret) => sign(secret, `${id}.${timestamp}.`, body))
  const matches = expected.some((one) =>
    given.some((other) => one.length === other.length && timingSafeEqual(one, other)),
  )
  if (!matches) throw new Error('no signature matches')
  return id
}

function sign(secret: string, prefix: string, body: Buffer): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return createHmac('sha256', key).update(prefix).update(body).digest()
}
