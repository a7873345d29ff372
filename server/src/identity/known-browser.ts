import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { KNOWN_BROWSER_LIFETIME } from '../lifetimes.ts'
import { equalHashes, hashOf, randomName } from '../oauth/token-format.ts'
import { findLinkTime, findOwner } from './account.queries.ts'
import { whenSessionsEnded } from './audit.queries.ts'
import { provedCookieOf, setProvedCookie } from './cookies.ts'
import type { SignIn } from './sign-in.ts'

/**
 * A browser that has proved a mailbox keeps a mark of it, so that strangers who use up what one mailbox is sent do not lock
 * its owner out (OWASP: device cookies). The cookie holds a random name of the browser and a mark for each of the last
 * mailboxes, which is the time of the proof and an HMAC: nobody makes one without the installation's secret, and nobody
 * reads an address out of it.
 */
const MAILBOXES = 4
const NAME_LENGTH = 22
/** Milliseconds since 1970. */
const TIME_DIGITS = 13
const PURPOSE = 'known browser'

/**
 * The name under which this browser proved this mailbox; undefined when it did not, or when that is over: after a year, when
 * the address was unlinked or its account deleted since, or signed out everywhere.
 */
export async function knownBrowser(
  signIn: SignIn,
  request: FastifyRequest,
  address: string,
): Promise<string | undefined> {
  const { name, marks } = readCookie(signIn, request)
  if (name === undefined) return undefined
  const mailbox = mailboxOf(address)
  const mark = marks.find(marksMailbox(signIn, name, mailbox))
  return mark !== undefined && (await holds(signIn, mailbox, timeOf(mark))) ? name : undefined
}

/** Marks this browser as one that proved this mailbox now. Call it once the proof has been used. */
export function rememberMailbox(signIn: SignIn, request: FastifyRequest, reply: FastifyReply, address: string): void {
  const { name = randomName(signIn.random, NAME_LENGTH), marks } = readCookie(signIn, request)
  const mailbox = mailboxOf(address)
  const isSame = marksMailbox(signIn, name, mailbox)
  const others = marks.filter((mark) => !isSame(mark))
  const mark = markOf(signIn.secret.key(PURPOSE), name, signIn.clock.now(), mailbox)
  setProvedCookie(signIn, reply, [name, mark, ...others.slice(0, MAILBOXES - 1)].join('.'))
}

/** The whole address in lower case: mail servers that tell cases apart are not found any more, users that do not are many. */
export const mailboxOf = (text: string) => text.trim().toLowerCase()

function readCookie(signIn: SignIn, request: FastifyRequest): { name: string | undefined; marks: string[] } {
  const [name, ...marks] = provedCookieOf(signIn, request)?.split('.') ?? []
  return { name, marks }
}

function markOf(key: Buffer, name: string, time: number, mailbox: string): string {
  const digits = String(time).padStart(TIME_DIGITS, '0')
  return digits + createHmac('sha256', key).update(`${name}.${digits}.${mailbox}`).digest('base64url')
}

const timeOf = (mark: string) => Number(mark.slice(0, TIME_DIGITS))

function marksMailbox({ secret }: SignIn, name: string, mailbox: string): (mark: string) => boolean {
  const keys = secret.keys(PURPOSE)
  const isSame = (a: string, b: string) => equalHashes(hashOf(a), hashOf(b))
  return (mark) => keys.some((key) => isSame(markOf(key, name, timeOf(mark), mailbox), mark))
}

async function holds({ clock, config, database: { kysely } }: SignIn, mailbox: string, proved: number) {
  // No longer than the log tells of a sign-out.
  const lifetime = Math.min(KNOWN_BROWSER_LIFETIME, config.auditRetention)
  if (clock.now() >= proved + lifetime) return false
  const accountId = await findOwner(kysely, 'Email', mailbox)
  if (accountId === undefined) return false
  const [linked, ended] = await Promise.all([
    findLinkTime(kysely, accountId, 'Email', mailbox),
    whenSessionsEnded(kysely, accountId),
  ])
  const isOfThisLink = linked !== undefined && linked.getTime() <= proved
  return isOfThisLink && (ended === undefined || ended.getTime() < proved)
}
