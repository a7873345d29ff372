import { fault, unknownReference } from '../texts/faults.ts'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { CURSOR_LIFETIME } from '../lifetimes.ts'
import { invalid, SnapshotError } from './snapshot-error.ts'
import type { SnapshotRequest } from './snapshot-request.ts'
import {
  findCredential,
  findQuest,
  findSpace,
  findVersionAt,
  recordVersionTime,
  type Source,
} from './sources.queries.ts'

/** The past entries of a board are kept longer than this (DEAD_ROW_LIFETIME). */
const MAX_AGE = CURSOR_LIFETIME

/** Finds the list of a request and fixes its version. @throws SnapshotError that names the field */
export async function resolveSource(
  kysely: Kysely<DB>,
  clock: Clock,
  { spaceId, sprintId, credentialId, questId, at }: SnapshotRequest,
): Promise<Source> {
  const now = new Date(clock.now())
  if (at !== undefined && at > now)
    throw invalid('at', `must not be in the future; now: ${now.toISOString()}`, fault('in_future'))
  if (spaceId !== undefined) return resolveBoard(kysely, clock, { spaceId, sprintId: sprintId ?? 0, at, now })
  if (credentialId !== undefined) return resolveHolders(kysely, credentialId, at, now)
  return resolveParticipants(kysely, questId ?? '', at ?? now)
}

async function resolveBoard(
  kysely: Kysely<DB>,
  clock: Clock,
  { spaceId, sprintId, at, now }: { spaceId: number; sprintId: number; at: Date | undefined; now: Date },
): Promise<Source> {
  const space = await findSpace(kysely, spaceId, sprintId)
  if (!space)
    throw new SnapshotError('NOT_FOUND', `The space ${spaceId} does not exist.`, 'spaceId', unknownReference(spaceId))
  if (!space.sprint)
    throw new SnapshotError(
      'NOT_FOUND',
      `The space ${spaceId} has no sprint ${sprintId}.`,
      'sprintId',
      unknownReference(sprintId),
    )
  if (space.version === null || space.version === 0) throw isEmpty('space', spaceId)
  const board = { kind: 'space', name: space.name, spaceId, sprintId } as const
  if (at === undefined) {
    const current = await recordCurrent(kysely, clock, spaceId, space.version)
    if (current) return { ...board, ...current }
    const { version, recordedAt } = await versionAt(kysely, spaceId, now, now)
    return { ...board, version, asOf: recordedAt }
  }
  const { version, recordedAt } = await versionAt(kysely, spaceId, at, now)
  // An older version was perhaps followed by a change without a record.
  if (version !== space.version) return { ...board, version, asOf: recordedAt }
  // A version that is still current was current at `at`. The record keeps this true for a snapshot after the next change.
  const recorded = await recordVersionTime(kysely, spaceId, version, now)
  return { ...board, version, asOf: recorded ? at : recordedAt }
}

/** Attempts to record the current version of a board that changes at the same time. */
const ATTEMPTS = 10

/**
 * Records the current version at a time between two reads of this version. Undefined if the version changed between the
 * reads each time: awards of such a board record a version every few seconds.
 */
async function recordCurrent(
  kysely: Kysely<DB>,
  clock: Clock,
  spaceId: number,
  found: number,
): Promise<{ version: number; asOf: Date } | undefined> {
  let version: number | undefined = found
  for (let attempt = 0; attempt < ATTEMPTS && version !== undefined; attempt++) {
    const asOf = await recordVersionTime(kysely, spaceId, version, new Date(clock.now()))
    if (asOf) return { version, asOf }
    version = (await findSpace(kysely, spaceId, 0))?.version ?? undefined
  }
  return undefined
}

async function versionAt(
  kysely: Kysely<DB>,
  spaceId: number,
  at: Date,
  now: Date,
): Promise<{ version: number; recordedAt: Date }> {
  const horizon = new Date(now.getTime() - MAX_AGE)
  const { version, recordedAt, oldest, first } = await findVersionAt(kysely, spaceId, at, horizon)
  const since = first && first > horizon ? first : horizon
  if (version === null || recordedAt === null)
    throw invalid(
      'at',
      `is before the first recorded version of space ${spaceId}; allowed: ${since.toISOString()} to now`,
      fault('too_early', { earliest: since.toISOString() }),
    )
  if (at < horizon && oldest !== null && version < oldest)
    throw invalid(
      'at',
      `is too long ago: past points are kept for 30 minutes; allowed: ${since.toISOString()} to now`,
      fault('too_early', { earliest: since.toISOString() }),
    )
  return { version, recordedAt }
}

async function resolveHolders(
  kysely: Kysely<DB>,
  credentialId: string,
  at: Date | undefined,
  now: Date,
): Promise<Source> {
  const credential = await findCredential(kysely, credentialId)
  if (!credential)
    throw new SnapshotError(
      'NOT_FOUND',
      `The credential ${credentialId} does not exist.`,
      'credentialId',
      unknownReference(credentialId),
    )
  if (at !== undefined)
    throw invalid('at', 'is not allowed for a credential: past holders are not kept', fault('not_kept'))
  if (credential.syncStatus !== 'SYNCED')
    throw new SnapshotError(
      'CONFLICT',
      `The credential ${credentialId} is SYNCING: wait until its list is complete.`,
      undefined,
      fault('list_incomplete'),
    )
  const { name, spaceId, generation } = credential
  return { kind: 'credential', name, credentialId, spaceId, generation, asOf: now }
}

async function resolveParticipants(kysely: Kysely<DB>, questId: string, asOf: Date): Promise<Source> {
  const quest = await findQuest(kysely, questId)
  if (!quest)
    throw new SnapshotError('NOT_FOUND', `The quest ${questId} does not exist.`, 'questId', unknownReference(questId))
  return { kind: 'quest', name: quest.name, questId, spaceId: quest.spaceId, asOf }
}

export const isEmpty = (kind: Source['kind'], id: number | string) =>
  new SnapshotError(
    'CONFLICT',
    `There is nothing to seal: the list of the ${kind} ${id} is empty.`,
    undefined,
    fault('list_empty'),
  )
