import type { FastifyRequest } from 'fastify'
import { findOwner } from './account.queries.ts'
import { countAttempt, refusalsByAccount } from './attempts.ts'
import { audit } from './audit.ts'
import { beyondAnswer } from '../database/answered.ts'
import type { StoredChallenge } from './challenge.queries.ts'
import { findPasskey } from './passkey.queries.ts'
import type { SignIn } from './sign-in.ts'

/**
 * Notes a proof that did not hold for the account whose identity it claimed, if there is such an account. It is not
 * waited for: how long an answer takes must not tell whether there is one.
 */
export function noteRefusedSignIn(
  signIn: SignIn,
  request: FastifyRequest,
  challenge: StoredChallenge,
  proof: unknown,
  reason: string,
): void {
  const noted = beyondAnswer(() => note(signIn, request, challenge, proof, reason))
    .catch((error: unknown) => {
      signIn.log.error({ err: error, request_id: request.id }, 'a refused sign-in could not be noted')
    })
    .finally(() => signIn.unfinished.delete(noted))
  signIn.unfinished.add(noted)
}

async function note(
  signIn: SignIn,
  { network }: FastifyRequest,
  { kind, stored }: StoredChallenge,
  proof: unknown,
  reason: string,
): Promise<void> {
  const accountId = await claimedAccount(signIn, kind, stored, proof)
  if (accountId === undefined) return
  const entry = { accountId, network, details: { how: kind, reason } }
  await signIn.database.kysely.transaction().execute(async (kysely) => {
    const { exceeded } = await countAttempt({ ...signIn, database: { kysely } }, refusalsByAccount, accountId)
    if (!exceeded) await audit(signIn, { ...entry, event: 'session.refused' }, kysely)
  })
}

async function claimedAccount({ database }: SignIn, kind: string, stored: unknown, proof: unknown) {
  if (kind === 'ServiceID') {
    const id = textIn((proof as { credential?: unknown } | null)?.credential, 'id')
    return id === undefined ? undefined : (await findPasskey(database.kysely, id))?.accountId
  }
  const address = textIn(stored, 'address') ?? textIn(proof, 'address')
  return address === undefined ? undefined : findOwner(database.kysely, kind, address)
}

function textIn(value: unknown, member: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const text = (value as Record<string, unknown>)[member]
  return typeof text === 'string' && text.length <= MAX_LENGTH ? text : undefined
}

const MAX_LENGTH = 1400
