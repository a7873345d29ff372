import { type LookupAddress, promises as dns } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { SECOND } from '../clock.ts'

/** The time until a DNS server is retried; grows with each retry. */
const RETRY_AFTER = 0.7 * SECOND
/** The timeout for all DNS servers together. */
const LOOK_UP_TIMEOUT = 2 * SECOND

/**
 * Resolves names given by users with the DNS servers directly. The system resolver (getaddrinfo) uses the four
 * threads of libuv, which files and the operator's own hosts need too. It also uses /etc/hosts and search domains, which users
 * must not reach.
 * @param options.servers `address:port`; default: the system's servers
 * @param options.timeout milliseconds for all servers together
 */
export function publicNames({
  servers,
  timeout = LOOK_UP_TIMEOUT,
}: { servers?: readonly string[]; timeout?: number } = {}): LookupFunction {
  return (name, _, done) => {
    addressesOf(name, servers, timeout).then(
      (found) => done(null, found),
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
}

async function addressesOf(
  name: string,
  servers: readonly string[] | undefined,
  timeout: number,
): Promise<LookupAddress[]> {
  if (isLocalName(name)) return [{ address: '127.0.0.1', family: 4 }]
  const resolver = new dns.Resolver({ timeout: RETRY_AFTER, tries: 3 })
  if (servers) resolver.setServers(servers)
  const deadline = setTimeout(() => resolver.cancel(), timeout)
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = [...addresses(v4, 4), ...addresses(v6, 6)]
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason
    return found
  } finally {
    clearTimeout(deadline)
  }
}

const addresses = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []

/** Names that always mean this machine (RFC 6761 6.3). */
export const isLocalName = (name: string) => /(^|\.)localhost\.?$/i.test(name)
