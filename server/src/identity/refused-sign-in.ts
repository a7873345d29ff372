import type { FastifyRequest } from 'fastify'
import { findOwner } from '../accounts/account.queries.ts'
import { refusalsByAccount } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import { audit } from '../audit/audit.ts'
import { allowAfterResponse } from '../database/request-context.ts'
import type { StoredChallenge } from './challenge.queries.ts'
import { findPasskey } from '../accounts/passkey.queries.ts'
import type { Services } from '../services.ts'

/**
 * Records a failed proof in the history of the account whose identity it claimed. Not awaited, because the response
 * time must not reveal whether the account exists.
 */
export function noteRefusedSignIn(
  services: Services,
  request: FastifyRequest,
  challenge: StoredChallenge,
  proof: unknown,
  reason: string,
): void {
  const noted = allowAfterResponse(() => note(services, request, challenge, proof, reason))
    .catch((error: unknown) => {
      services.log.error({ err: error, request_id: request.id }, 'could not record a rejected sign-in')
    })
    .finally(() => services.pendingWrites.delete(noted))
  services.pendingWrites.add(noted)
}

async function note(
  services: Services,
  { network }: FastifyRequest,
  { kind, kindData }: StoredChallenge,
  proof: unknown,
  reason: string,
): Promise<void> {
  const accountId = await claimedAccount(services, kind, kindData, proof)
  if (accountId === undefined) return
  const entry = { accountId, network, details: { how: kind, reason } }
  await services.database.kysely.transaction().execute(async (kysely) => {
    const { exceeded } = await countAttempt({ ...services, database: { kysely } }, refusalsByAccount, accountId)
    if (!exceeded) await audit(services, { ...entry, event: 'session.refused' }, kysely)
  })
}

async function claimedAccount({ database }: Services, kind: string, kindData: unknown, proof: unknown) {
  if (kind === 'ServiceID') {
    const id = textIn((proof as { credential?: unknown } | null)?.credential, 'id')
    return id === undefined ? undefined : (await findPasskey(database.kysely, id))?.accountId
  }
  const address = textIn(kindData, 'address') ?? textIn(proof, 'address')
  return address === undefined ? undefined : findOwner(database.kysely, kind, address)
}

function textIn(value: unknown, member: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const text = (value as Record<string, unknown>)[member]
  return typeof text === 'string' && text.length <= MAX_LENGTH ? text : undefined
}

const MAX_LENGTH = 1400
