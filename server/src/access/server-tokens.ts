import { fault } from '../texts/faults.ts'
import { findSuspension } from '../accounts/suspension.queries.ts'
import { withinLength } from '../text/characters.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { type Area, AREAS } from '../graphql/context.ts'
import type { Random } from '../random.ts'
import { planNames } from './plans.queries.ts'
import { checkedScope, type PublishableScope } from './publishable-scope.ts'
import {
  insertToken,
  isPublishable,
  lastUses,
  listTokens,
  replaceHash,
  setPlan,
  setRevoked,
  type TokenRecord,
} from './server-tokens.queries.ts'
import { formatToken, storedValueOf } from '../secrets/token-format.ts'
import { TokenInputError } from './token-input-error.ts'

export { TokenInputError }

/** Server tokens; used by the command line and the pages. */

export interface TokenDependencies {
  database: Pick<Database, 'kysely'>
  clock: Clock
  random: Random
}

/** A token with its value, which is shown once and never stored. */
export interface IssuedToken {
  token: string
  record: TokenRecord
}

export interface NewToken {
  accountId: string
  /** 1 to 100 characters. */
  name: string
  /** Default: all areas. */
  areas?: readonly string[]
  /** Default: `free`. */
  plan?: string
  /**
   * Whether the token gets the plan `free` if the account loses its operator rights. It keeps a plan that all accounts can
   * choose.
   */
  planNeedsOperator?: boolean
  /** Default: never. */
  expiresAt?: Date
  /** Makes a publishable token; its areas are `space` by default. */
  publishable?: PublishableScope | undefined
}

/** @throws TokenInputError if a field is invalid or the account is suspended */
export async function createToken(deps: TokenDependencies, wanted: NewToken): Promise<IssuedToken> {
  const { database, clock, random } = deps
  await requireActive(database.kysely, wanted.accountId)
  const now = new Date(clock.now())
  const { publishable } = wanted
  const token = formatToken(publishable ? 'qbp' : 'qbs', random.bytes(32))
  const { hash, lastFour } = storedValueOf(token)
  const areas = checkedAreas(wanted.areas ?? (publishable ? ['space'] : AREAS))
  const record: TokenRecord = {
    tokenId: random.uuid(),
    accountId: wanted.accountId,
    name: checkedName(wanted.name),
    areas,
    plan: await checkedPlan(database, wanted.plan ?? 'free'),
    planNeedsOperator: wanted.planNeedsOperator ?? false,
    createdAt: now,
    expiresAt: checkedExpiry(wanted.expiresAt, now),
    revokedAt: null,
    ...(publishable ? await checkedScope(database, publishable, areas) : { origins: null, spaceIds: null }),
    lastFour,
  }
  await insertToken(database.kysely, record, hash)
  return { token, record }
}

/**
 * Replaces the value of a token; the old value is rejected at once.
 * @throws TokenInputError if the token does not exist, has expired or is revoked
 */
export async function regenerateToken(deps: TokenDependencies, tokenId: string): Promise<IssuedToken> {
  const { kysely } = deps.database
  const prefix = (await isPublishable(kysely, checkedId(tokenId))) ? 'qbp' : 'qbs'
  const token = formatToken(prefix, deps.random.bytes(32))
  const record = await replaceHash(kysely, tokenId, storedValueOf(token), new Date(deps.clock.now()))
  if (!record) throw noSuchToken(tokenId)
  return { token, record }
}

/**
 * Changes the plan of a token from its next request on. If the token belongs to the operator, it gets the plan `free`
 * when the operator loses the operator rights, unless all accounts can choose its plan.
 * @param assignedBy the account of the operator
 * @throws TokenInputError if the plan does not exist, or the token does not exist or is revoked
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

/** @throws TokenInputError if the token does not exist or is already revoked */
export async function revokeToken(deps: TokenDependencies, tokenId: string): Promise<TokenRecord> {
  const record = await setRevoked(deps.database.kysely, checkedId(tokenId), new Date(deps.clock.now()))
  if (!record) throw noSuchToken(tokenId)
  return record
}

export interface ListedToken extends TokenRecord {
  lastUsedAt: Date | undefined
}

/** The tokens of one account or of all, oldest first. */
export async function listServerTokens(database: Pick<Database, 'kysely'>, accountId?: string): Promise<ListedToken[]> {
  const records = await listTokens(database.kysely, accountId)
  const used = await lastUses(
    database.kysely,
    records.map((record) => record.tokenId),
  )
  return records.map((record) => ({ ...record, lastUsedAt: used.get(record.tokenId) }))
}

/** @throws TokenInputError if the account is suspended */
export async function requireActive(kysely: Database['kysely'], accountId: string): Promise<void> {
  if (await findSuspension(kysely, accountId))
    throw new TokenInputError('account', 'The account is suspended; a suspended account gets no tokens.')
}

/** @throws TokenInputError */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || !withinLength(trimmed, 100))
    throw new TokenInputError(
      'name',
      'The name must have 1 to 100 characters.',
      fault('wrong_length', { min: 1, max: 100 }),
    )
  return trimmed
}

function checkedAreas(areas: readonly string[]): Area[] {
  const unknown = areas.filter((area) => !AREAS.includes(area as Area))
  if (unknown.length > 0 || areas.length === 0)
    throw new TokenInputError(
      'areas',
      `${areas.length === 0 ? 'No areas are given' : `Unknown areas: ${unknown.join(', ')}`}. Allowed: ${AREAS.join(', ')}.`,
      fault('not_one_of', { allowed: AREAS }),
    )
  return AREAS.filter((area) => areas.includes(area))
}

async function checkedPlan(database: Pick<Database, 'kysely'>, plan: string): Promise<string> {
  const known = await planNames(database.kysely)
  if (!known.includes(plan))
    throw new TokenInputError(
      'plan',
      `Unknown plan "${plan}". Plans: ${known.join(', ')}.`,
      fault('not_one_of', { allowed: known }),
    )
  return plan
}

/** @throws TokenInputError */
export function checkedExpiry(expiresAt: Date | undefined, now: Date): Date | null {
  if (expiresAt === undefined) return null
  if (Number.isNaN(expiresAt.getTime()) || expiresAt <= now)
    throw new TokenInputError(
      'expiresAt',
      'The expiry must be a time in the future, for example 2027-01-31T00:00:00Z.',
      fault('not_in_future'),
    )
  return expiresAt
}

function checkedId(tokenId: string): string {
  if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(tokenId)) throw noSuchToken(tokenId)
  return tokenId
}

const noSuchToken = (tokenId: string) => noLiveToken('token', tokenId)

/** Does not repeat the input if it is a token value. @param list the command that lists these tokens */
export function noLiveToken(list: 'token' | 'ingest-token', tokenId: string): TokenInputError {
  const what = list === 'token' ? 'token' : 'ingest token'
  const says = /^qb[a-z]_/.test(tokenId)
    ? `This is the value of a token, not its id; nothing was changed.`
    : `No valid ${what} has the id "${tokenId}"; revoked and expired tokens cannot be used again.`
  return new TokenInputError('tokenId', `${says} \`questboard ${list} list\` shows the ids.`)
}
