import type { FastifyReply, FastifyRequest } from 'fastify'
import '@fastify/cookie'
import { SECOND } from '../clock.ts'
import { AUTHORIZATION_LIFETIME, KNOWN_BROWSER_LIFETIME, SESSION_LIFETIME } from '../lifetimes.ts'
import { hashOf } from '../secrets/hashes.ts'
import { randomName } from '../secrets/random-name.ts'
import type { Services } from '../services.ts'
import type { Site } from '../settings/site.ts'

/**
 * Four cookies. `browser` binds authorization requests and challenges to the browser, `session` is the browser
 * session, `signed-in` marks browsers with a session for the scripts of public pages, and `proved` lists proved mailboxes
 * (known-browser.ts). The prefix `__Host-` requires https, so plain http (development) does not use it.
 */
const VALUE_LENGTH = 43
const TAB_NAME_LENGTH = 8
const valueShape = /^[0-9A-Za-z]{43}$/
const provedShape = /^[0-9A-Za-z]{22}(?:\.[0-9]{13}[0-9A-Za-z_-]{43}){1,4}$/

type CookieKind = 'browser' | 'session' | 'signed-in' | 'proved'

function cookieName(site: Site, what: CookieKind): string {
  return `${site.secure ? '__Host-' : ''}questboard-${what}`
}

function readCookie(
  { site }: Services,
  request: FastifyRequest,
  what: CookieKind,
  shape = valueShape,
): string | undefined {
  const value = request.cookies[cookieName(site, what)]
  return value !== undefined && shape.test(value) ? value : undefined
}

// Lax instead of Strict, because users return from apps and upstream sites by cross-site navigation.
const attributes = { path: '/', httpOnly: true, sameSite: 'lax' } as const
const readable = { ...attributes, httpOnly: false }

export const browserOf = (services: Services, request: FastifyRequest) => readCookie(services, request, 'browser')
export const sessionCookieOf = (services: Services, request: FastifyRequest) => readCookie(services, request, 'session')

export const provedCookieOf = (services: Services, request: FastifyRequest) =>
  readCookie(services, request, 'proved', provedShape)

export function browserHashOf(services: Services, request: FastifyRequest): Buffer | undefined {
  const value = browserOf(services, request)
  return value === undefined ? undefined : hashOf(value)
}

/**
 * Returns the browser cookie, and sets it if it is missing. If two tabs arrive at once, each gets a value and the
 * browser keeps the last one. So the value is also set in a cookie for `authorizationId`, which keeps the other tab's
 * request valid.
 */
export function ensureBrowser(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  authorizationId?: string,
): string {
  const existing = browserOf(services, request)
  if (existing !== undefined) return existing
  const value = randomName(services.random, VALUE_LENGTH)
  const { secure } = services.site
  void reply.setCookie(cookieName(services.site, 'browser'), value, {
    ...attributes,
    secure,
    maxAge: SESSION_LIFETIME / SECOND,
  })
  if (authorizationId !== undefined)
    void reply.setCookie(tabCookieName(services.site, authorizationId), value, {
      ...attributes,
      secure,
      maxAge: AUTHORIZATION_LIFETIME / SECOND,
    })
  return value
}

/** The hashes that an authorization request of this browser may be bound to. */
export function browserHashesOf(services: Services, request: FastifyRequest, authorizationId: string): Buffer[] {
  const values = [browserOf(services, request), request.cookies[tabCookieName(services.site, authorizationId)]]
  return values.filter((value) => value !== undefined && valueShape.test(value)).map((value) => hashOf(value as string))
}

const tabCookieName = (site: Site, authorizationId: string) =>
  `${cookieName(site, 'browser')}-${authorizationId.slice(0, TAB_NAME_LENGTH)}`

export const newSessionCookie = ({ random }: Services) => randomName(random, VALUE_LENGTH)

export function setSessionCookie(services: Services, reply: FastifyReply, value: string): void {
  void reply.setCookie(cookieName(services.site, 'session'), value, {
    ...attributes,
    secure: services.site.secure,
    maxAge: SESSION_LIFETIME / SECOND,
  })
  setMark(services, reply)
}

export function clearSessionCookie(services: Services, reply: FastifyReply): void {
  void reply.clearCookie(cookieName(services.site, 'session'), { ...attributes, secure: services.site.secure })
  clearMark(services, reply)
}

const MARK = '1'

/**
 * Marks browsers with a session for the scripts of public pages. The pages are the same with and without a session, so
 * that shared caches can keep them.
 */
export function markSession(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  hasSession: boolean,
): void {
  const name = cookieName(services.site, 'signed-in')
  const isMarked = request.cookies[name] === MARK
  if (isMarked && !hasSession) clearMark(services, reply)
  if (!isMarked && hasSession) setMark(services, reply)
}

function setMark({ site }: Services, reply: FastifyReply): void {
  const maxAge = SESSION_LIFETIME / SECOND
  void reply.setCookie(cookieName(site, 'signed-in'), MARK, { ...readable, secure: site.secure, maxAge })
}

function clearMark({ site }: Services, reply: FastifyReply): void {
  void reply.clearCookie(cookieName(site, 'signed-in'), { ...readable, secure: site.secure })
}

export function setProvedCookie(services: Services, reply: FastifyReply, value: string): void {
  void reply.setCookie(cookieName(services.site, 'proved'), value, {
    ...attributes,
    secure: services.site.secure,
    maxAge: KNOWN_BROWSER_LIFETIME / SECOND,
  })
}
