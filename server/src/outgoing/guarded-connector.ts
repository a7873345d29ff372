import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { isPublicAddress } from './addresses.ts'
import { type AllowedHost, isAllowedHost } from './hosts.ts'
import { OutgoingError } from './outgoing-error.ts'

export interface GuardOptions {
  hosts: readonly AllowedHost[]
  /** The setting that names them, for messages; QUESTBOARD_OUTGOING_HOSTS unless given. */
  namedBy?: string | undefined
  connectTimeout: number
  /** How a name becomes addresses; the system's way unless given. */
  lookup?: LookupFunction | undefined
  /** Which addresses an unconfigured host may have; public ones unless given. */
  permits?: ((address: string) => boolean) | undefined
}

/**
 * Opens the sockets of outgoing requests. A name is resolved once a connection, and the connection goes to one of the
 * addresses that were checked: a name that changes its mind between check and use gains nothing.
 */
export function guardedConnector(options: GuardOptions): buildConnector.connector {
  const lookup = options.lookup ?? systemLookup
  const permits = options.permits ?? isPublicAddress
  const refuse = (host: string) => refusedAddress(host, options.namedBy ?? 'QUESTBOARD_OUTGOING_HOSTS')
  const base = { allowH2: false, timeout: options.connectTimeout }
  const trusted = buildConnector({ ...base, lookup })
  const guarded = buildConnector({ ...base, lookup: onlyPermitted(lookup, permits, refuse) })
  return (target, done) => {
    const hostname = target.hostname.toLowerCase()
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    const literal = hostname.replace(/^\[|\]$/g, '')
    const spelled = isIP(literal) === 6 ? `[${literal}]` : hostname
    if (isAllowedHost(options.hosts, spelled, port)) return trusted(target, done)
    // The system does not look up what is an address already.
    if (isIP(literal) !== 0 && !permits(literal)) return done(refuse(literal), null)
    return guarded(target, done)
  }
}

function onlyPermitted(
  lookup: LookupFunction,
  permits: (address: string) => boolean,
  refuse: (host: string) => OutgoingError,
): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const all = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      const permitted = all.filter(({ address }) => permits(address))
      const [first] = permitted
      if (!first) return done(refuse(hostname), '')
      if (options.all) done(null, permitted)
      else done(null, first.address, first.family)
    })
  }
}

function refusedAddress(host: string, setting: string): OutgoingError {
  return new OutgoingError('address', `${host} is not on the public Internet; to allow it, add it to ${setting}`)
}
