import { Agent } from 'undici'
import { SECOND } from '../clock.ts'
import { guardedConnector, type GuardOptions } from './guarded-connector.ts'

const CONNECT_TIMEOUT = 10 * SECOND
const KEEP_ALIVE = 10 * SECOND
const MAX_HEADER_BYTES = 32 * 1024

/** The connections of one sender. */
export function createAgent(options: Omit<GuardOptions, 'connectTimeout'>): Agent {
  return new Agent({
    connect: guardedConnector({ ...options, connectTimeout: CONNECT_TIMEOUT }),
    keepAliveTimeout: KEEP_ALIVE,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The timeout of the whole request replaces these.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}
