import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isPublicAddress } from './addresses.ts'
import { type AllowedHost, isAllowedHost } from '../settings/hosts.ts'
import { asOutgoingError, noPublicAddress, notPublic } from './outgoing-error.ts'
import { publicNames } from './public-names.ts'

export interface GuardOptions {
  hosts: readonly AllowedHost[]
  /** The setting that lists allowed hosts, for messages. Default: QUESTBOARD_OUTGOING_HOSTS. */
  namedBy?: string | undefined
  connectTimeout: number
  /**
   * Resolves names. Default: the system resolver for allowed hosts, which may be in /etc/hosts; DNS servers for other
   * hosts.
   */
  lookup?: LookupFunction | undefined
  /** The addresses that other hosts may have. Default: public addresses. */
  permits?: ((address: string) => boolean) | undefined
}

/**
 * Opens sockets for outgoing requests. Resolves the name once and connects to a checked address, which prevents DNS
 * rebinding.
 */
export function guardedConnector(options: GuardOptions): buildConnector.connector {
  const permits = options.permits ?? isPublicAddress
  const namedBy = options.namedBy ?? 'QUESTBOARD_OUTGOING_HOSTS'
  const base = { allowH2: false, timeout: options.connectTimeout }
  const trusted = buildConnector({ ...base, lookup: options.lookup ?? systemLookup })
  const guarded = buildConnector({
    ...base,
    lookup: onlyPermitted(options.lookup ?? publicNames(), permits, namedBy),
  })
  return (target, done) => {
    const hostname = target.hostname.toLowerCase()
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    const literal = hostname.replace(/^\[|\]$/g, '')
    const spelled = isIP(literal) === 6 ? `[${literal}]` : hostname
    if (isAllowedHost(options.hosts, spelled, port)) return trusted(target, done)
    // Addresses are not resolved, so they are checked here.
    if (isIP(literal) !== 0 && !permits(literal)) return done(notPublic(literal, namedBy), null)
    return guarded(target, done)
  }
}

function onlyPermitted(lookup: LookupFunction, permits: (address: string) => boolean, namedBy: string): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        const known = asOutgoingError(error, hostname)
        return done(known.failure === 'time' ? known : noPublicAddress('name', hostname, namedBy, error), '')
      }
      const all = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      const permitted = all.filter(({ address }) => permits(address))
      const [first] = permitted
      if (!first) return done(noPublicAddress('address', hostname, namedBy), '')
      if (options.all) done(null, permitted)
      else done(null, first.address, first.family)
    })
  }
}
