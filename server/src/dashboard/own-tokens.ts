import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { conflict, notFound } from '../identity/api-error.ts'
import { networkOf } from '../identity/attempts.ts'
import { audit } from '../identity/audit.ts'
import { checkCsrf } from '../identity/csrf.ts'
import type { changing } from '../identity/operation.ts'
import { readUuid } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { withAccount } from '../identity/with-account.ts'
import { namingTokenFields } from './token-fields.ts'

/** What tokens of every kind have. */
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

/** A kind of token that an account makes for itself. */
export interface TokenKind<T extends Token> {
  /** Of the API: `/api/tokens`. */
  path: string
  /** What the log calls it. */
  event: 'token' | 'ingest-token'
  operations: { regenerate: ReturnType<typeof changing>; revoke: ReturnType<typeof changing> }
  list(signIn: Pick<SignIn, 'database'> | { database: { kysely: Kysely<DB> } }, accountId: string): Promise<T[]>
  regenerate(signIn: SignIn, tokenId: string): Promise<Issued<T>>
  revoke(signIn: SignIn, tokenId: string): Promise<unknown>
}

/** Quotas are counted by token: an account cannot multiply its own without end. */
const MAX_LIVE_TOKENS = 10

type TokenRequest = FastifyRequest<{ Params: { id: string } }>

/** Makes a token for the account of a session. @throws ApiError too_many_tokens, or the field that cannot be used */
export async function makeToken<T extends Token>(
  signIn: SignIn,
  request: FastifyRequest,
  kind: TokenKind<T>,
  create: (deps: SignIn & { database: { kysely: Kysely<DB> } }, accountId: string) => Promise<Issued<T>>,
): Promise<Issued<T>> {
  const { accountId } = await requireSession(signIn, request)
  return withAccount(signIn, accountId, async (trx) => {
    const within = { ...signIn, database: { ...signIn.database, kysely: trx } }
    const existing = await kind.list(within, accountId)
    if (existing.filter((token) => isLive(token, signIn)).length >= MAX_LIVE_TOKENS)
      throw conflict('too_many_tokens', `An account may have ${MAX_LIVE_TOKENS} of these tokens; revoke one first`)
    const created = await namingTokenFields(create(within, accountId))
    await note(signIn, request, `${kind.event}.created`, created.record, trx)
    return created
  })
}

/** `POST …/ID/regenerate` and `DELETE …/ID`. */
export function registerOwnTokens<T extends Token>(
  scope: FastifyInstance,
  signIn: SignIn,
  kind: TokenKind<T>,
  view: (issued: Issued<T>) => object,
): void {
  // The old value stops at once; the new one is shown this once.
  scope.post(`${kind.path}/:id/regenerate`, kind.operations.regenerate, async (request: TokenRequest) => {
    checkCsrf(signIn, request)
    const token = await ownToken(signIn, request, kind)
    if (token.revokedAt) throw conflict('token_revoked', 'This token was revoked; create a new one')
    const issued = await namingTokenFields(kind.regenerate(signIn, token.tokenId))
    await note(signIn, request, `${kind.event}.regenerated`, token)
    return view(issued)
  })

  scope.delete(`${kind.path}/:id`, kind.operations.revoke, async (request: TokenRequest, reply) => {
    checkCsrf(signIn, request)
    const token = await ownToken(signIn, request, kind)
    if (!token.revokedAt) {
      await namingTokenFields(kind.revoke(signIn, token.tokenId))
      await note(signIn, request, `${kind.event}.revoked`, token)
    }
    return reply.code(204).send()
  })
}

async function ownToken<T extends Token>(signIn: SignIn, request: TokenRequest, kind: TokenKind<T>): Promise<T> {
  const { accountId } = await requireSession(signIn, request)
  const id = readUuid(request.params.id, 'Token')
  const token = (await kind.list(signIn, accountId)).find(({ tokenId }) => tokenId === id)
  if (!token) throw notFound('Token')
  return token
}

type TokenEvent = `${'token' | 'ingest-token'}.${'created' | 'regenerated' | 'revoked'}`

function note(
  signIn: SignIn,
  request: FastifyRequest,
  event: TokenEvent,
  { tokenId, name, accountId }: Token,
  kysely: Kysely<DB> = signIn.database.kysely,
): Promise<void> {
  return audit(signIn, { accountId, event, address: networkOf(request.ip), details: { tokenId, name } }, kysely)
}

const isLive = (token: Token, { clock }: SignIn) =>
  token.revokedAt === null && (token.expiresAt === null || token.expiresAt.getTime() > clock.now())
