import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { equalHashes, hashOf } from '../secrets/hashes.ts'
import { badCsrfToken } from '../errors.ts'
import { browserOf, sessionCookieOf } from './cookies.ts'
import type { Services } from '../services.ts'

/** The token for state-changing calls, bound to the browser and its session. */
export function csrfTokenOf(services: Services, browser: string, session: string | undefined): string {
  return tokenUnder(services.secret.key('csrf'), browser, session)
}

function tokenUnder(key: Buffer, browser: string, session: string | undefined): string {
  return createHmac('sha256', key)
    .update(`${browser}.${session ?? ''}`)
    .digest('base64url')
}

/** @throws ApiError bad_csrf_token */
export function checkCsrf(services: Services, request: FastifyRequest): void {
  const browser = browserOf(services, request)
  const sent = request.headers['x-csrf-token']
  if (browser === undefined || typeof sent !== 'string') throw badCsrfToken()
  const session = sessionCookieOf(services, request)
  const expected = services.secret.keys('csrf').map((key) => tokenUnder(key, browser, session))
  if (!expected.some((token) => equalHashes(hashOf(sent), hashOf(token)))) throw badCsrfToken()
}
