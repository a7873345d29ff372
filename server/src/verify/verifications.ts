import { type Clock, SECOND } from '../clock.ts'
import type { VisibleQuest } from '../claims/member-quests.ts'
import type { AllowedAddresses } from '../claims/own-addresses.ts'
import type { Database } from '../database/connection.ts'
import { ApiError, conflict, notFound, ServiceError } from '../errors.ts'
import { isCredentialId } from '../resolvers/credential-id.ts'
import { verificationsBySource } from '../rate-limits/limits.ts'
import type { Checks, FreshCheck } from '../sync/checks.ts'
import { abilityOf } from '../sync/source.ts'
import { limitAttempts } from './limit-attempts.ts'
import { ownHolders } from './own-holders.ts'
import { type Change, recordCheck } from './record-check.ts'
import { readChecks, readVerifiable } from './verifiable.queries.ts'

export interface VerificationRequest {
  accountId: string
  quest: VisibleQuest
  /** The ID of a credential that a condition of the quest uses. */
  credentialId: string
  address?: string | undefined
  allowedAddresses: AllowedAddresses
}

export interface Verification {
  /** The kind of the identity that was checked. */
  kind: string
  /** Null if the source could not decide. */
  held: boolean | null
  checkedAt: Date
  change: Change
}

/** Checks at the sources of credentials on demand (docs/quests.md). */
export interface Verifications {
  /**
   * Checks at its source whether an account has a credential, and updates the list by the result. The credential must
   * be a condition of a quest that the account can see, so that an account cannot query any source.
   * The caller limits the requests of the account.
   * @throws ApiError 400 address, 404, 409 not_checkable, source_changed and
   * identity_missing, 429, 503 source_unavailable
   */
  verify(request: VerificationRequest): Promise<Verification>
}

export interface VerificationDependencies {
  database: Database
  clock: Clock
  checks: Checks
}

/** The result of a check is used again for this long, by all instances. */
const COOLDOWN = 20 * SECOND
/** The pause if the source names none. */
const RETRY_SECONDS = 30

export function createVerifications(deps: VerificationDependencies): Verifications {
  const { database, clock, checks } = deps
  return {
    async verify(request) {
      const { accountId, quest, credentialId } = request
      const credential = isCredentialId(credentialId)
        ? await readVerifiable(database, quest.id, credentialId)
        : undefined
      if (!credential) throw notFound('Condition')
      if (credential.kind === null || !abilityOf(credential.kind).checks)
        throw conflict('not_checkable', 'The source of this credential has no check for one identity')
      const { kind, holders } = await ownHolders(database.kysely, accountId, credential, request)
      const recent = await readChecks(database, credentialId, holders, new Date(clock.now() - COOLDOWN))
      const known = recent.find(({ held }) => held) ?? (recent.length === holders.length ? recent[0] : undefined)
      if (known) return { kind, held: known.held, checkedAt: known.checked_at, change: null }
      const result: Verification = { kind, held: false, checkedAt: new Date(clock.now()), change: null }
      for (const holder of holders) {
        await limitAttempts(deps, verificationsBySource, credentialId)
        const at = new Date(clock.now())
        const { held, live, source } = await fresh(checks, credentialId, holder)
        if (held === undefined) {
          result.held = null
          continue
        }
        const change = await recordCheck(
          database,
          { credentialId, holder, held, at },
          { live, origin: { accountId, source } },
        )
        result.change ??= change
        if (held) return { ...result, held, change }
      }
      return result
    },
  }
}

/** @throws ApiError 503 with the time of the next attempt */
async function fresh(checks: Checks, credentialId: string, holder: string): Promise<FreshCheck> {
  try {
    return await checks.fresh(credentialId, holder)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'UPSTREAM_UNAVAILABLE') throw error
    const seconds = error.headers['retry-after'] ?? String(RETRY_SECONDS)
    throw new ApiError('source_unavailable', `${error.message}; retry after ${seconds} seconds`, {
      headers: { 'retry-after': seconds },
    })
  }
}
