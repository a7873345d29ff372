import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import type { Config } from '../config.ts'
import { networkOf } from '../rate-limits/ip-network.ts'
import { NO_NETWORK } from './audit.ts'

/** The network of a client, for routes that bypass Fastify, which uses the same package for its `request.ip`. */
export function createNetworkOf({
  trustedProxies,
}: Pick<Config, 'trustedProxies'>): (request: IncomingMessage) => string {
  const trusts = proxyAddress.compile(trustedProxies || [])
  return (request) => networkOf(proxyAddress(request, trusts) || NO_NETWORK)
}
