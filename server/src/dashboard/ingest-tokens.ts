import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import {
  createIngestToken,
  type IssuedIngestToken,
  listIngestTokens,
  regenerateIngestToken,
  revokeIngestToken,
} from '../access/ingest-tokens.ts'
import type { IngestTokenRecord } from '../access/ingest-tokens.queries.ts'
import { TokenInputError } from '../access/server-tokens.ts'
import type { DB } from '../database/tables.ts'
import { isOperator } from '../identity/account.queries.ts'
import { conflict, invalidField, notFound } from '../identity/api-error.ts'
import { networkOf } from '../identity/attempts.ts'
import { audit } from '../identity/audit.ts'
import { checkCsrf } from '../identity/csrf.ts'
import { readBody, readUuid } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { withAccount } from '../identity/with-account.ts'
import { ingestTokenOperations } from './operations.ts'
import { newIngestToken } from './request-shapes.ts'

const MAX_LIVE_TOKENS = 10

type TokenRequest = FastifyRequest<{ Params: { id: string } }>

/**
 * `/api/ingest-tokens`: tokens with which the account's own systems write (docs/ingest.md). An operator gives them any
 * scope, anybody else what the account owns.
 */
export function registerIngestTokens(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/ingest-tokens', ingestTokenOperations.list, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    return { tokens: await listIngestTokens(signIn.database, accountId) }
  })

  scope.post('/api/ingest-tokens', ingestTokenOperations.create, async (request, reply) => {
    checkCsrf(signIn, request)
    const { accountId } = await requireSession(signIn, request)
    const { name, spaces, starboards, credentials, expiresAt } = readBody(newIngestToken, request.body)
    const issued = await withAccount(signIn, accountId, async (trx) => {
      const existing = await listIngestTokens({ kysely: trx }, accountId)
      if (existing.filter((token) => isLive(token, signIn)).length >= MAX_LIVE_TOKENS)
        throw conflict('too_many_tokens', `An account may have ${MAX_LIVE_TOKENS} ingest tokens; revoke one first`)
      const wanted = {
        accountId,
        name,
        ...(spaces && { spaces }),
        ...(starboards && { starboards }),
        ...(credentials && { credentials }),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
        ownedOnly: !(await isOperator(trx, accountId)),
      }
      const created = await naming(createIngestToken({ ...signIn, database: { kysely: trx } }, wanted))
      await note(signIn, request, 'ingest-token.created', created.record, trx)
      return created
    })
    return reply.code(201).send(view(issued))
  })

  // The old value stops at once; the new one is shown this once.
  scope.post('/api/ingest-tokens/:id/regenerate', ingestTokenOperations.regenerate, async (request: TokenRequest) => {
    checkCsrf(signIn, request)
    const token = await ownToken(signIn, request)
    if (token.revokedAt) throw conflict('token_revoked', 'This token was revoked; create a new one')
    const issued = await naming(regenerateIngestToken(signIn, token.tokenId))
    await note(signIn, request, 'ingest-token.regenerated', token)
    return view(issued)
  })

  scope.delete('/api/ingest-tokens/:id', ingestTokenOperations.revoke, async (request: TokenRequest, reply) => {
    checkCsrf(signIn, request)
    const token = await ownToken(signIn, request)
    if (!token.revokedAt) {
      await naming(revokeIngestToken(signIn, token.tokenId))
      await note(signIn, request, 'ingest-token.revoked', token)
    }
    return reply.code(204).send()
  })
}

async function ownToken(signIn: SignIn, request: TokenRequest): Promise<IngestTokenRecord> {
  const { accountId } = await requireSession(signIn, request)
  const id = readUuid(request.params.id, 'Token')
  const token = (await listIngestTokens(signIn.database, accountId)).find(({ tokenId }) => tokenId === id)
  if (!token) throw notFound('Token')
  return token
}

/** The checks of the tokens' own module, as errors of this API. */
async function naming<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TokenInputError) throw invalidField(error.field, `cannot be used: ${error.message}`)
    throw error
  }
}

function note(
  signIn: SignIn,
  request: FastifyRequest,
  event: 'ingest-token.created' | 'ingest-token.regenerated' | 'ingest-token.revoked',
  { tokenId, name, accountId }: IngestTokenRecord,
  kysely: Kysely<DB> = signIn.database.kysely,
): Promise<void> {
  return audit(signIn, { accountId, event, address: networkOf(request.ip), details: { tokenId, name } }, kysely)
}

const isLive = (token: IngestTokenRecord, { clock }: SignIn) =>
  token.revokedAt === null && (token.expiresAt === null || token.expiresAt.getTime() > clock.now())

const view = ({ token, record }: IssuedIngestToken) => ({ token, ...record })
