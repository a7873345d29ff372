import type { FastifyReply, FastifyRequest } from 'fastify'
import '@fastify/cookie'
import { SECOND } from '../clock.ts'
import { SESSION_LIFETIME } from '../lifetimes.ts'
import { hashOf, randomName } from '../oauth/token-format.ts'
import type { SignIn } from './sign-in.ts'
import type { Site } from './site.ts'

/**
 * Two cookies: `browser` ties authorization requests and challenges to the browser that asked for them,
 * `session` says who is signed in. Both are `__Host-` under https; plain http (a developer's machine) cannot have that prefix.
 */
const VALUE_LENGTH = 43
const valueShape = /^[0-9A-Za-z]{43}$/

function cookieName(site: Site, what: 'browser' | 'session'): string {
  return `${site.secure ? '__Host-' : ''}questboard-${what}`
}

function readCookie({ site }: SignIn, request: FastifyRequest, what: 'browser' | 'session'): string | undefined {
  const value = request.cookies[cookieName(site, what)]
  return value !== undefined && valueShape.test(value) ? value : undefined
}

// Lax, not Strict: the user comes back from an app or from an upstream sign-in by a cross-site navigation.
const attributes = { path: '/', httpOnly: true, sameSite: 'lax' } as const

export const browserOf = (signIn: SignIn, request: FastifyRequest) => readCookie(signIn, request, 'browser')
export const sessionCookieOf = (signIn: SignIn, request: FastifyRequest) => readCookie(signIn, request, 'session')

export function browserHashOf(signIn: SignIn, request: FastifyRequest): Buffer | undefined {
  const value = browserOf(signIn, request)
  return value === undefined ? undefined : hashOf(value)
}

/** The browser's value, given to it now when it has none. */
export function ensureBrowser(signIn: SignIn, request: FastifyRequest, reply: FastifyReply): string {
  const existing = browserOf(signIn, request)
  if (existing !== undefined) return existing
  const value = randomName(signIn.random, VALUE_LENGTH)
  const name = cookieName(signIn.site, 'browser')
  void reply.setCookie(name, value, {
    ...attributes,
    secure: signIn.site.secure,
    maxAge: SESSION_LIFETIME / SECOND,
  })
  return value
}

export function setSessionCookie(signIn: SignIn, reply: FastifyReply): string {
  const value = randomName(signIn.random, VALUE_LENGTH)
  void reply.setCookie(cookieName(signIn.site, 'session'), value, {
    ...attributes,
    secure: signIn.site.secure,
    maxAge: SESSION_LIFETIME / SECOND,
  })
  return value
}

export function clearSessionCookie(signIn: SignIn, reply: FastifyReply): void {
  void reply.clearCookie(cookieName(signIn.site, 'session'), { ...attributes, secure: signIn.site.secure })
}
