import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { KNOWN_BROWSER_LIFETIME } from '../lifetimes.ts'
import { equalHashes, hashOf } from '../secrets/hashes.ts'
import { randomName } from '../secrets/random-name.ts'
import { findLinkTime, findOwner } from '../accounts/account.queries.ts'
import { whenSessionsEnded } from '../audit/audit.queries.ts'
import { provedCookieOf, setProvedCookie } from './cookies.ts'
import type { Services } from '../services.ts'

/**
 * Device cookies (OWASP): a browser that has proved a mailbox gets separate limits, so that strangers cannot lock the
 * owner out. The cookie holds a random name of the browser and a mark for each of the last mailboxes: the time of the
 * proof and an HMAC. Marks cannot be forged without the installation secret, and contain no address.
 */
const MAILBOXES = 4
const NAME_LENGTH = 22
/** Milliseconds since 1970. */
const TIME_DIGITS = 13
const PURPOSE = 'known browser'

/**
 * Returns the browser's name if it has proved this mailbox. A mark expires after a year, and when the address is
 * unlinked, its account is deleted, or the account signs out everywhere.
 */
export async function knownBrowser(
  services: Services,
  request: FastifyRequest,
  address: string,
): Promise<string | undefined> {
  const { name, marks } = readCookie(services, request)
  if (name === undefined) return undefined
  const mailbox = mailboxOf(address)
  const mark = marks.find(marksMailbox(services, name, mailbox))
  return mark !== undefined && (await holds(services, mailbox, timeOf(mark))) ? name : undefined
}

/** Marks this browser as one that has proved this mailbox. Call it after the proof was accepted. */
export function rememberMailbox(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
): void {
  const { name = randomName(services.random, NAME_LENGTH), marks } = readCookie(services, request)
  const mailbox = mailboxOf(address)
  const isSame = marksMailbox(services, name, mailbox)
  const others = marks.filter((mark) => !isSame(mark))
  const mark = markOf(services.secret.key(PURPOSE), name, services.clock.now(), mailbox)
  setProvedCookie(services, reply, [name, mark, ...others.slice(0, MAILBOXES - 1)].join('.'))
}

/** Lower-cases the whole address: mail servers that distinguish case are rare, users that mix case are common. */
export const mailboxOf = (text: string) => text.trim().toLowerCase()

function readCookie(services: Services, request: FastifyRequest): { name: string | undefined; marks: string[] } {
  const [name, ...marks] = provedCookieOf(services, request)?.split('.') ?? []
  return { name, marks }
}

function markOf(key: Buffer, name: string, time: number, mailbox: string): string {
  const digits = String(time).padStart(TIME_DIGITS, '0')
  return digits + createHmac('sha256', key).update(`${name}.${digits}.${mailbox}`).digest('base64url')
}

const timeOf = (mark: string) => Number(mark.slice(0, TIME_DIGITS))

function marksMailbox({ secret }: Services, name: string, mailbox: string): (mark: string) => boolean {
  const keys = secret.keys(PURPOSE)
  const isSame = (a: string, b: string) => equalHashes(hashOf(a), hashOf(b))
  return (mark) => keys.some((key) => isSame(markOf(key, name, timeOf(mark), mailbox), mark))
}

async function holds({ clock, config, database: { kysely } }: Services, mailbox: string, proved: number) {
  // At most the retention of the audit log, which records sign-outs.
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
