import { type LookupAddress, promises as dns } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { SECOND } from '../clock.ts'

/** A name server that has not answered is asked again after this, a little later each time. */
const ASK_AGAIN = 0.7 * SECOND
/** All name servers together have this long. */
const LOOK_UP_TIMEOUT = 2 * SECOND

/**
 * Looks up names that anybody may have given us, at the name servers themselves. The system's way (getaddrinfo) waits on
 * threads that a process has four of, with files and the names of the operator's own machines in line behind it; and it
 * knows /etc/hosts and the domains to search, which are no business of whoever names a public host.
 * @param options.servers `address:port`; those of the system unless given
 * @param options.timeout milliseconds for all name servers together
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
  const resolver = new dns.Resolver({ timeout: ASK_AGAIN, tries: 3 })
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

/** Names that are this machine's whatever a name server says (RFC 6761 6.3). */
export const isLocalName = (name: string) => /(^|\.)localhost\.?$/i.test(name)
