import { withinLength } from '../text/characters.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { type Area, AREAS } from '../graphql/context.ts'
import type { Random } from '../random.ts'
import { planNames } from './plans.queries.ts'
import {
  insertToken,
  lastUses,
  listTokens,
  replaceHash,
  setPlan,
  setRevoked,
  type TokenRecord,
} from './server-tokens.queries.ts'
import { formatToken, storedValueOf } from '../secrets/token-format.ts'

/** Server access tokens (spec 5.1): created, regenerated, revoked. The command line and the dashboard call these. */

export interface TokenDependencies {
  database: Pick<Database, 'kysely'>
  clock: Clock
  random: Random
}

/** A token with its value, which is shown this once and stored nowhere. */
export interface IssuedToken {
  token: string
  record: TokenRecord
}

export interface NewToken {
  accountId: string
  /** What the owner calls it: 1 to 100 characters. */
  name: string
  /** What it may read; all areas when left out. */
  areas?: readonly string[]
  /** Name of a plan; `free` when left out. */
  plan?: string
  /** Whether the account may have the plan only as an operator. */
  planNeedsOperator?: boolean
  /** When it stops; never when left out. */
  expiresAt?: Date
}

/** A request about tokens that cannot be met; `field` names what is wrong. */
export class TokenInputError extends Error {
  override name = 'TokenInputError'
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** @throws TokenInputError for an empty name, an unknown area or plan, or an expiry that is not in the future */
export async function createToken(deps: TokenDependencies, wanted: NewToken): Promise<IssuedToken> {
  const { database, clock, random } = deps
  const now = new Date(clock.now())
  const token = formatToken('qbs', random.bytes(32))
  const { hash, lastFour } = storedValueOf(token)
  const record: TokenRecord = {
    tokenId: random.uuid(),
    accountId: wanted.accountId,
    name: checkedName(wanted.name),
    areas: checkedAreas(wanted.areas),
    plan: await checkedPlan(database, wanted.plan ?? 'free'),
    planNeedsOperator: wanted.planNeedsOperator ?? false,
    createdAt: now,
    expiresAt: checkedExpiry(wanted.expiresAt, now),
    revokedAt: null,
    lastFour,
  }
  await insertToken(database.kysely, record, hash)
  return { token, record }
}

/** Gives a token a new value; the old one stops at once. @throws TokenInputError when there is no such live token */
export async function regenerateToken(deps: TokenDependencies, tokenId: string): Promise<IssuedToken> {
  const token = formatToken('qbs', deps.random.bytes(32))
  const now = new Date(deps.clock.now())
  const record = await replaceHash(deps.database.kysely, checkedId(tokenId), storedValueOf(token), now)
  if (!record) throw noSuchToken(tokenId)
  return { token, record }
}

/**
 * Puts a token on another plan, from its next request on. A plan that operators give their own tokens ends with their
 * rights.
 * @param assignedBy the account of the operator
 * @throws TokenInputError when there is no such live token, or no such plan
 */
export async function changePlan(
  deps: TokenDependencies,
  tokenId: string,
  { plan, assignedBy }: { plan: string; assignedBy: string },
): Promise<TokenRecord> {
  const checked = await checkedPlan(deps.database, plan)
  const record = await setPlan(deps.database.kysely, checkedId(tokenId), { plan: checked, assignedBy })
  if (!record) throw noSuchToken(tokenId)
  return record
}

/** Ends a token for good. @throws TokenInputError when there is no such live token */
export async function revokeToken(deps: TokenDependencies, tokenId: string): Promise<TokenRecord> {
  const record = await setRevoked(deps.database.kysely, checkedId(tokenId), new Date(deps.clock.now()))
  if (!record) throw noSuchToken(tokenId)
  return record
}

export interface ListedToken extends TokenRecord {
  lastUsedAt: Date | undefined
}

/** The tokens of an account, or all of them, oldest first. */
export async function listServerTokens(database: Pick<Database, 'kysely'>, accountId?: string): Promise<ListedToken[]> {
  const records = await listTokens(database.kysely, accountId)
  const used = await lastUses(
    database.kysely,
    records.map((record) => record.tokenId),
  )
  return records.map((record) => ({ ...record, lastUsedAt: used.get(record.tokenId) }))
}

/** @throws TokenInputError */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || !withinLength(trimmed, 100))
    throw new TokenInputError('name', 'A name of 1 to 100 characters is needed.')
  return trimmed
}

function checkedAreas(areas: readonly string[] = AREAS): Area[] {
  const unknown = areas.filter((area) => !AREAS.includes(area as Area))
  if (unknown.length > 0 || areas.length === 0)
    throw new TokenInputError(
      'areas',
      `Unknown areas: ${unknown.join(', ') || '(none given)'}. Allowed: ${AREAS.join(', ')}.`,
    )
  return AREAS.filter((area) => areas.includes(area))
}

async function checkedPlan(database: Pick<Database, 'kysely'>, plan: string): Promise<string> {
  const known = await planNames(database.kysely)
  if (!known.includes(plan))
    throw new TokenInputError('plan', `There is no plan "${plan}". Plans: ${known.join(', ')}.`)
  return plan
}

/** @throws TokenInputError */
export function checkedExpiry(expiresAt: Date | undefined, now: Date): Date | null {
  if (expiresAt === undefined) return null
  if (Number.isNaN(expiresAt.getTime()) || expiresAt <= now)
    throw new TokenInputError('expiresAt', 'The expiry must be a time in the future, for example 2027-01-31T00:00:00Z.')
  return expiresAt
}

function checkedId(tokenId: string): string {
  if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(tokenId)) throw noSuchToken(tokenId)
  return tokenId
}

const noSuchToken = (tokenId: string) => noLiveToken('token', tokenId)

/** Never repeats a value that was given in place of an id. @param list the command that lists them */
export function noLiveToken(list: 'token' | 'ingest-token', tokenId: string): TokenInputError {
  const what = list === 'token' ? 'token' : 'ingest token'
  const says = /^qb[a-z]_/.test(tokenId)
    ? `This is the value of a token, and not its id; nothing was changed.`
    : `There is no live ${what} with the id "${tokenId}": one that was revoked or expired stays dead.`
  return new TokenInputError('tokenId', `${says} \`questboard ${list} list\` shows the ids.`)
}
