import type { FastifyReply, FastifyRequest } from 'fastify'
import '@fastify/cookie'
import { SECOND } from '../clock.ts'
import { AUTHORIZATION_LIFETIME, KNOWN_BROWSER_LIFETIME, SESSION_LIFETIME } from '../lifetimes.ts'
import { hashOf, randomName } from '../oauth/token-format.ts'
import type { SignIn } from './sign-in.ts'
import type { Site } from './site.ts'

/**
 * Three cookies: `browser` ties authorization requests and challenges to the browser that asked for them,
 * `session` says who is signed in, `proved` which mailboxes were proved here (known-browser.ts). They are `__Host-` under https; plain http (a developer's machine) cannot have that prefix.
 */
const VALUE_LENGTH = 43
const TAB_NAME_LENGTH = 8
const valueShape = /^[0-9A-Za-z]{43}$/
const provedShape = /^[0-9A-Za-z]{22}(?:\.[0-9]{13}[0-9A-Za-z_-]{43}){1,4}$/

type CookieKind = 'browser' | 'session' | 'proved'

function cookieName(site: Site, what: CookieKind): string {
  return `${site.secure ? '__Host-' : ''}questboard-${what}`
}

function readCookie(
  { site }: SignIn,
  request: FastifyRequest,
  what: CookieKind,
  shape = valueShape,
): string | undefined {
  const value = request.cookies[cookieName(site, what)]
  return value !== undefined && shape.test(value) ? value : undefined
}

// Lax, not Strict: the user comes back from an app or from an upstream sign-in by a cross-site navigation.
const attributes = { path: '/', httpOnly: true, sameSite: 'lax' } as const

export const browserOf = (signIn: SignIn, request: FastifyRequest) => readCookie(signIn, request, 'browser')
export const sessionCookieOf = (signIn: SignIn, request: FastifyRequest) => readCookie(signIn, request, 'session')

export const provedCookieOf = (signIn: SignIn, request: FastifyRequest) =>
  readCookie(signIn, request, 'proved', provedShape)

export function browserHashOf(signIn: SignIn, request: FastifyRequest): Buffer | undefined {
  const value = browserOf(signIn, request)
  return value === undefined ? undefined : hashOf(value)
}

/**
 * The browser's value, given to it now when it has none. Two tabs that come at once are each given one, and the browser keeps
 * the last: so the value stands in a cookie of `authorizationId`, too, and the request of the other tab is not lost.
 */
export function ensureBrowser(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  authorizationId?: string,
): string {
  const existing = browserOf(signIn, request)
  if (existing !== undefined) return existing
  const value = randomName(signIn.random, VALUE_LENGTH)
  const { secure } = signIn.site
  void reply.setCookie(cookieName(signIn.site, 'browser'), value, {
    ...attributes,
    secure,
    maxAge: SESSION_LIFETIME / SECOND,
  })
  if (authorizationId !== undefined)
    void reply.setCookie(tabCookieName(signIn.site, authorizationId), value, {
      ...attributes,
      secure,
      maxAge: AUTHORIZATION_LIFETIME / SECOND,
    })
  return value
}

/** What an authorization request may be bound to in this browser. */
export function browserHashesOf(signIn: SignIn, request: FastifyRequest, authorizationId: string): Buffer[] {
  const values = [browserOf(signIn, request), request.cookies[tabCookieName(signIn.site, authorizationId)]]
  return values.filter((value) => value !== undefined && valueShape.test(value)).map((value) => hashOf(value as string))
}

const tabCookieName = (site: Site, authorizationId: string) =>
  `${cookieName(site, 'browser')}-${authorizationId.slice(0, TAB_NAME_LENGTH)}`

export const newSessionCookie = ({ random }: SignIn) => randomName(random, VALUE_LENGTH)

export function setSessionCookie(signIn: SignIn, reply: FastifyReply, value: string): void {
  void reply.setCookie(cookieName(signIn.site, 'session'), value, {
    ...attributes,
    secure: signIn.site.secure,
    maxAge: SESSION_LIFETIME / SECOND,
  })
}

export function clearSessionCookie(signIn: SignIn, reply: FastifyReply): void {
  void reply.clearCookie(cookieName(signIn.site, 'session'), { ...attributes, secure: signIn.site.secure })
}

export function setProvedCookie(signIn: SignIn, reply: FastifyReply, value: string): void {
  void reply.setCookie(cookieName(signIn.site, 'proved'), value, {
    ...attributes,
    secure: signIn.site.secure,
    maxAge: KNOWN_BROWSER_LIFETIME / SECOND,
  })
}
