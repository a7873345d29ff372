import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9A-Fa-f:.]+)\])(?::\d{1,5})?$/

/**
 * Keeps only IP addresses in X-Forwarded-For, so that no other text becomes the client's network. Some proxies append
 * a port, which is removed. Other text is removed with all entries to its left, which no trusted proxy confirmed.
 */
export function keepForwardedAddresses({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined) return
  const entries = String(forwarded)
    .split(',')
    .map((entry) => addressOf(entry.trim()))
  const kept = entries.slice(entries.lastIndexOf(undefined) + 1)
  if (kept.length === 0) delete headers['x-forwarded-for']
  else headers['x-forwarded-for'] = kept.join(', ')
}

function addressOf(entry: string): string | undefined {
  const [, ipv4, ipv6] = WITH_PORT.exec(entry) ?? []
  const address = ipv4 ?? ipv6 ?? entry
  return isIP(address) === 0 ? undefined : address
}
