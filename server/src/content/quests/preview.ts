import { unknownReference, wrongFormat } from '../../texts/faults.ts'
import { invalidField, invalidFields, ServiceError } from '../../errors.ts'
import { type CredentialGroup, evaluate, type StoredGroups } from '../../resolvers/quest/credential-groups.ts'
import { credentialGroups, type GroupToStore, readGroups } from '../../ingest/kinds/quest-groups.ts'
import { isEmpty } from '../../ingest/check.ts'
import type { Services } from '../../services.ts'
import { createChecks } from '../../sync/checks.ts'
import { findCredentials, type NamedCredential } from './preview.queries.ts'
import { fieldProblems } from '../records/refusals.ts'

const FIELD = 'credentialGroups'

type Preview = (groups: unknown, address: string) => Promise<CredentialGroup[]>

/** Evaluates groups of a quest that are not stored. @throws ApiError that names the field */
export function createPreview(services: Services): Preview {
  const { database, clock } = services
  const context = {
    reader: database,
    clock,
    checkLive: createChecks(services).live,
  }
  return async (value, address) => {
    const groups = requireGroups(value)
    const ids = groups.flatMap(({ conditions }) => conditions.map(({ credentialId }) => credentialId))
    const found = await findCredentials(database.kysely, ids)
    const credentials = new Map(found.map((credential) => [credential.id, credential]))
    requireKnown(groups, credentials)
    return evaluate(context, rowsOf(groups, credentials), address).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'INVALID_ARGUMENT')
        throw invalidField(
          'address',
          ['is not valid', ...(error.details ?? []).slice(1)].join('; '),
          wrongFormat('member'),
        )
      throw error
    })
  }
}

function requireGroups(value: unknown): GroupToStore[] {
  if (isEmpty(value)) return []
  const groups = readGroups(value)
  if (groups) return groups
  const parts = credentialGroups.parts?.(value)
  const [first, ...more] = fieldProblems({
    line: 1,
    field: FIELD,
    reason: credentialGroups.allowed,
    ...(parts && { parts }),
  })
  throw first
    ? invalidFields([first, ...more])
    : invalidField(FIELD, `must be ${credentialGroups.allowed}`, credentialGroups.fault)
}

function requireKnown(groups: readonly GroupToStore[], credentials: ReadonlyMap<string, NamedCredential>): void {
  const [first, ...more] = groups.flatMap(({ conditions }, g) =>
    conditions.flatMap(({ credentialId }, c) => {
      if (credentials.has(credentialId)) return []
      const field = `${FIELD}[${g}].conditions[${c}].credentialId`
      return [
        {
          field,
          message: `is "${credentialId}", which is not a known credential`,
          fault: unknownReference(credentialId),
        },
      ]
    }),
  )
  if (first) throw invalidFields([first, ...more])
}

function rowsOf(groups: readonly GroupToStore[], credentials: ReadonlyMap<string, NamedCredential>): StoredGroups {
  return {
    groups,
    conditions: groups.flatMap(({ id, conditions }) =>
      conditions.flatMap(({ expression, credentialId }) => {
        const credential = credentials.get(credentialId)
        if (!credential) return []
        const { name, credType, credSource } = credential
        return [{ group_id: id, expression: expression || name, credential_id: credentialId, credType, credSource }]
      }),
    ),
    rewards: groups.flatMap(({ id, rewards }) =>
      rewards.map(({ expression, rewardType, rewardCount }) => ({
        group_id: id,
        expression,
        rewardType,
        reward_count: rewardCount,
      })),
    ),
  }
}
