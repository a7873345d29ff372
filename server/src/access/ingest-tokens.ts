import { fault, type FaultFormat, wrongFormat } from '../texts/faults.ts'
import {
  type IngestScope,
  type IngestTokenRecord,
  insertIngestToken,
  notOwned,
  replaceIngestHash,
  selectIngestTokens,
  setIngestRevoked,
} from './ingest-tokens.queries.ts'
import {
  checkedExpiry,
  checkedName,
  noLiveToken,
  requireActive,
  type TokenDependencies,
  TokenInputError,
} from './server-tokens.ts'
import { formatToken, storedValueOf } from '../secrets/token-format.ts'

/** Ingest tokens (`qbi_…`) for POST /ingest/v1; used by the command line and the pages. */

/** A token with its value, which is shown once and never stored. */
export interface IssuedIngestToken {
  token: string
  record: IngestTokenRecord
}

/** `all` or IDs; by default, the token has no objects of the kind. */
type Wanted<Id> = 'all' | readonly Id[] | undefined

export interface NewIngestToken {
  accountId: string
  /** 1 to 100 characters. */
  name: string
  spaces?: Wanted<number>
  starboards?: Wanted<string>
  credentials?: Wanted<string>
  /** Restricts the scope to objects that the account owns at the time of the request; requires lists of ids. */
  ownedOnly?: boolean
  /** Whether the token is revoked when its account loses operator rights. */
  needsOperator?: boolean
  /** Default: never. */
  expiresAt?: Date
}

const MAX_IDS = 1_000

/** @throws TokenInputError for an invalid name, scope or expiry */
export async function createIngestToken(deps: TokenDependencies, wanted: NewIngestToken): Promise<IssuedIngestToken> {
  await requireActive(deps.database.kysely, wanted.accountId)
  const now = new Date(deps.clock.now())
  const token = formatToken('qbi', deps.random.bytes(32))
  const { hash, lastFour } = storedValueOf(token)
  const record: IngestTokenRecord = {
    tokenId: deps.random.uuid(),
    accountId: wanted.accountId,
    name: checkedName(wanted.name),
    scope: checkedScope(wanted),
    ownedOnly: wanted.ownedOnly ?? false,
    needsOperator: wanted.needsOperator ?? false,
    createdAt: now,
    expiresAt: checkedExpiry(wanted.expiresAt, now),
    revokedAt: null,
    lastUsedAt: null,
    lastFour,
  }
  if (record.ownedOnly) await refuseNotOwned(deps, record)
  await insertIngestToken(deps.database.kysely, record, hash)
  return { token, record }
}

/**
 * Replaces the value of a token; the old value is rejected at once.
 * @throws TokenInputError if the token does not exist, has expired or is revoked
 */
export async function regenerateIngestToken(deps: TokenDependencies, tokenId: string): Promise<IssuedIngestToken> {
  const token = formatToken('qbi', deps.random.bytes(32))
  const now = new Date(deps.clock.now())
  const record = await replaceIngestHash(deps.database.kysely, checkedId(tokenId), storedValueOf(token), now)
  if (!record) throw noSuchToken(tokenId)
  return { token, record }
}

/** @throws TokenInputError if the token does not exist or is already revoked */
export async function revokeIngestToken(deps: TokenDependencies, tokenId: string): Promise<IngestTokenRecord> {
  const record = await setIngestRevoked(deps.database.kysely, checkedId(tokenId), new Date(deps.clock.now()))
  if (!record) throw noSuchToken(tokenId)
  return record
}

/** The tokens of one account or of all, oldest first. */
export async function listIngestTokens(
  database: TokenDependencies['database'],
  accountId?: string,
): Promise<IngestTokenRecord[]> {
  return selectIngestTokens(database.kysely, accountId)
}

async function refuseNotOwned({ database }: TokenDependencies, { accountId, scope }: IngestTokenRecord): Promise<void> {
  const lists = { spaces: scope.spaceIds, starboards: scope.starboardIds, credentials: scope.credentialIds }
  for (const [field, ids] of Object.entries(lists))
    if (ids === null)
      throw new TokenInputError(
        field,
        `Only operators can create tokens for all ${field}; list ids.`,
        fault('operators_only'),
      )
  const [foreign] = await notOwned(database.kysely, accountId, {
    spaces: scope.spaceIds ?? [],
    starboards: scope.starboardIds ?? [],
    credentials: scope.credentialIds ?? [],
  })
  if (foreign)
    throw new TokenInputError(
      foreign.field,
      `This account does not own "${foreign.id}" of ${foreign.field}.`,
      fault('not_owned', { value: foreign.id }),
    )
}

function checkedScope({ spaces, starboards, credentials }: NewIngestToken): IngestScope {
  const scope = {
    spaceIds: checkedIds('spaces', spaces, isSpaceId, 'space_id', 'whole numbers from 1 to 2147483647'),
    starboardIds: checkedIds('starboards', starboards, isSlug, 'object_id', '1 to 100 letters, digits, "_" or "-"'),
    credentialIds: checkedIds(
      'credentials',
      credentials,
      isBigId,
      'credential_id',
      'whole numbers of at most 19 digits',
    ),
  }
  if (Object.values(scope).every((ids) => ids?.length === 0))
    throw new TokenInputError(
      'spaces',
      'The token can write nothing. List spaces, starboards or credentials, or choose all.',
      fault('writes_nothing'),
    )
  return scope
}

const isSpaceId = (id: number) => Number.isInteger(id) && id >= 1 && id <= 2_147_483_647
const isSlug = (id: string) => /^[\w-]{1,100}$/.test(id)
const isBigId = (id: string) => /^\d{1,19}$/.test(id) && BigInt(id) <= 9_223_372_036_854_775_807n

function checkedIds<Id>(
  field: string,
  wanted: Wanted<Id>,
  allows: (id: Id) => boolean,
  format: FaultFormat,
  allowed: string,
): Id[] | null {
  if (wanted === 'all') return null
  const ids = [...new Set(wanted ?? [])]
  const wrong = ids.find((id) => !allows(id))
  if (wrong !== undefined)
    throw new TokenInputError(
      field,
      `"${String(wrong)}" is not an id of ${field}. Allowed: all, or ids: ${allowed}.`,
      wrongFormat(format),
    )
  if (ids.length > MAX_IDS)
    throw new TokenInputError(field, `List at most ${MAX_IDS} ids, or choose all.`, fault('too_many', { max: MAX_IDS }))
  return ids
}

function checkedId(tokenId: string): string {
  if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(tokenId)) throw noSuchToken(tokenId)
  return tokenId
}

const noSuchToken = (tokenId: string) => noLiveToken('ingest-token', tokenId)
