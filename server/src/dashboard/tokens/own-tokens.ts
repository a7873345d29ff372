import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { DAY } from '../../clock.ts'
import type { DB } from '../../database/tables.ts'
import { conflict, notFound } from '../../errors.ts'
import { audit } from '../../audit/audit.ts'
import { type AccountCaller, route } from '../../api/route.ts'
import type { PathParameter } from '../../api/parameters.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import type { Services } from '../../services.ts'
import { withSession } from '../../sessions/with-account.ts'
import { namingTokenFields } from './token-fields.ts'

/** The common fields of all kinds of tokens. */
interface Token {
  tokenId: string
  accountId: string
  name: string
  expiresAt: Date | null
  revokedAt: Date | null
}

interface Issued<T extends Token> {
  token: string
  record: T
}

/** A kind of token that accounts create for themselves. */
export interface TokenKind<T extends Token> {
  /** The prefix of its events. */
  event: 'token' | 'ingest-token'
  /** Whether each token has a daily quota. */
  dailyQuota: boolean
  /** Whether creating or regenerating the token requires a recent sign-in. */
  needsFreshSignIn?(token: T): boolean
  operations: { regenerate: OwnTokenRoute; revoke: OwnTokenRoute }
  list(within: Within, accountId: string): Promise<T[]>
  regenerate(within: Within, tokenId: string): Promise<Issued<T>>
  revoke(within: Within, tokenId: string): Promise<unknown>
}

type OwnTokenRoute = RouteDescription & { who: 'account'; params: { id: PathParameter<string> } }

/** Services inside the transaction that holds the lock of the account and session. */
type Within = Services & { database: { kysely: Transaction<DB> } }

const MAX_TOKENS = 10

type Caller = AccountCaller & { services: Services; network: string }

/** Creates a token for the account of a session. @throws ApiError too_many_tokens, or invalid field */
export async function makeToken<T extends Token>(
  caller: Caller,
  kind: TokenKind<T>,
  create: (within: Within, accountId: string) => Promise<Issued<T>>,
): Promise<Issued<T>> {
  const { accountId, network } = caller
  return underSession(caller, async (within) => {
    const existing = await kind.list(within, accountId)
    requireTokenLimit(kind, existing, within.clock.now())
    const created = await namingTokenFields(create(within, accountId))
    if (kind.needsFreshSignIn?.(created.record)) caller.checkRecentSignIn()
    await note(within, network, `${kind.event}.created`, created.record)
    return created
  })
}

/** `POST …/ID/regenerate` and `DELETE …/ID`. */
export function registerOwnTokens<T extends Token>(
  scope: FastifyInstance,
  services: Services,
  kind: TokenKind<T>,
  view: (issued: Issued<T>) => object,
): void {
  route(scope, services, kind.operations.regenerate, (call) =>
    underSession(call, async (within) => {
      const token = await ownToken(within, kind, call.accountId, call.params.id)
      if (kind.needsFreshSignIn?.(token)) call.checkRecentSignIn()
      if (token.revokedAt) throw conflict('token_revoked', 'This token was revoked; create a new one')
      if (endOf(token) <= within.clock.now()) throw conflict('token_expired', 'This token expired; create a new one')
      const issued = await namingTokenFields(kind.regenerate(within, token.tokenId))
      await note(within, call.network, `${kind.event}.regenerated`, token)
      return view(issued)
    }),
  )

  route(scope, services, kind.operations.revoke, (call) =>
    underSession(call, async (within) => {
      const token = await ownToken(within, kind, call.accountId, call.params.id)
      if (token.revokedAt) return
      await namingTokenFields(kind.revoke(within, token.tokenId))
      await note(within, call.network, `${kind.event}.revoked`, token)
    }),
  )
}

/** Runs work under the lock of the account, while the session is live. */
const underSession = <Result>(
  { services, session }: Caller,
  work: (within: Within) => Promise<Result>,
): Promise<Result> =>
  withSession(services, session, (kysely) => work({ ...services, database: { ...services.database, kysely } }))

async function ownToken<T extends Token>(
  within: Within,
  kind: TokenKind<T>,
  accountId: string,
  id: string,
): Promise<T> {
  const token = (await kind.list(within, accountId)).find(({ tokenId }) => tokenId === id)
  if (!token) throw notFound('Token')
  return token
}

type TokenEvent = `${'token' | 'ingest-token'}.${'created' | 'regenerated' | 'revoked'}`

function note(within: Within, network: string, event: TokenEvent, { tokenId, name, accountId }: Token): Promise<void> {
  return audit(within, { accountId, event, network, details: { tokenId, name } }, within.database.kysely)
}

/**
 * A token counts for each UTC day on which it was live, so that an account cannot multiply its daily quota with new
 * tokens.
 */
function requireTokenLimit(
  { dailyQuota }: Pick<TokenKind<Token>, 'dailyQuota'>,
  existing: readonly Token[],
  now: number,
): void {
  const liveSince = (time: number) => existing.filter((token) => endOf(token) > time).length
  const live = liveSince(now)
  if (!dailyQuota) {
    if (live >= MAX_TOKENS) throw tooManyTokens('revoke one first')
    return
  }
  const today = Math.floor(now / DAY) * DAY
  if (liveSince(today) < MAX_TOKENS) return
  const when = `from ${new Date(today + DAY).toISOString()} on`
  throw tooManyTokens(
    live < MAX_TOKENS
      ? `an ended token counts until the end of its UTC day, so the next can be created ${when}`
      : `revoke one, then create the next ${when}; regenerating a token needs no wait`,
  )
}

const endOf = ({ revokedAt, expiresAt }: Token): number =>
  Math.min(revokedAt?.getTime() ?? Infinity, expiresAt?.getTime() ?? Infinity)

const tooManyTokens = (remedy: string) =>
  conflict('too_many_tokens', `An account may have ${MAX_TOKENS} of these tokens: ${remedy}`)
