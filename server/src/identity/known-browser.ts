import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { equalHashes, hashOf, randomName } from '../oauth/token-format.ts'
import { provedCookieOf, setProvedCookie } from './cookies.ts'
import type { SignIn } from './sign-in.ts'

/**
 * A browser that has proved a mailbox keeps a mark of it, so that strangers who use up what one mailbox is sent do not lock
 * its owner out (OWASP: device cookies). The cookie holds a random name of the browser and a mark for each of the last
 * mailboxes: nobody makes one without the installation's secret, and nobody reads an address out of it.
 */
const MAILBOXES = 4
const NAME_LENGTH = 22
const PURPOSE = 'known browser'

/** The name under which this browser proved this mailbox before; undefined when it did not. */
export function knownBrowser(signIn: SignIn, request: FastifyRequest, address: string): string | undefined {
  const { name, marks } = readCookie(signIn, request)
  if (name === undefined) return undefined
  const right = signIn.secret.keys(PURPOSE).map((key) => markOf(key, name, address))
  return marks.some((mark) => right.some((one) => sameMark(one, mark))) ? name : undefined
}

/** Marks this browser as one that proved this mailbox. */
export function rememberMailbox(signIn: SignIn, request: FastifyRequest, reply: FastifyReply, address: string): void {
  const { name = randomName(signIn.random, NAME_LENGTH), marks } = readCookie(signIn, request)
  const mark = markOf(signIn.secret.key(PURPOSE), name, address)
  const others = marks.filter((other) => !sameMark(other, mark))
  setProvedCookie(signIn, reply, [name, mark, ...others.slice(0, MAILBOXES - 1)].join('.'))
}

function readCookie(signIn: SignIn, request: FastifyRequest): { name: string | undefined; marks: string[] } {
  const [name, ...marks] = provedCookieOf(signIn, request)?.split('.') ?? []
  return { name, marks }
}

const markOf = (key: Buffer, name: string, address: string) =>
  createHmac('sha256', key).update(`${name}.${address}`).digest('base64url')

const sameMark = (a: string, b: string) => equalHashes(hashOf(a), hashOf(b))
