import { fault } from '../texts/faults.ts'
import { statfs } from 'node:fs/promises'
import type { Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { DISK_FULL } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'
import type { Random } from '../random.ts'
import { buildContents, type BuildOptions, neededBytes } from './build.ts'
import { deleteContents, releaseSpace } from './contents.queries.ts'
import { isEmpty, resolveSource } from './resolve-source.ts'
import { SnapshotError, snapshotNotFound } from './snapshot-error.ts'
import type { SnapshotRequest } from './snapshot-request.ts'
import {
  deleteSnapshotRow,
  findSnapshot,
  insertSnapshot,
  lockOldestWaiting,
  markSealed,
  selectSnapshots,
  type Snapshot,
  type Within,
} from './snapshots.queries.ts'
import { countSource, type Source, type SourceCounts } from './sources.queries.ts'
import { firstMembers, type ListedMember } from './first-members.ts'

export interface SnapshotDependencies {
  database: Pick<Database, 'kysely' | 'pool'>
  clock: Clock
  random: Random
  config: Pick<Config, 'databaseUrl' | 'dataDir'>
}

export const EVERYTHING: Within = { spaceIds: null, credentialIds: null }

/** Writes the audit entry of a change, in the transaction of the change. */
export type Note = (trx: Transaction<DB>, details: Record<string, string>) => Promise<void>

/** A change of snapshots over HTTP or by a command. */
export interface Change {
  note: Note
  scope?: Within
  /** Runs first in the transaction of the change, for locks and checks of the caller. */
  begin?: (trx: Transaction<DB>) => Promise<void>
}

/** The contents of a snapshot before it is sealed. */
export interface Preview {
  kind: Source['kind']
  name: string
  asOf: Date
  members: number
  /** The sum of all points, as decimal digits. */
  points: string
  leaves: number
  leftOut: number
  banned: number
  /** An estimate of the bytes that the snapshot needs on the disk of the database. */
  bytes: number
  firstMembers: ListedMember[]
  /** The first members outside of the Merkle tree. */
  firstLeftOut: ListedMember[]
}

/** Selects the version of a list, counts its members and reads the first ones. Does not store a snapshot. @throws SnapshotError */
export async function previewSnapshot(
  { database, clock }: SnapshotDependencies,
  request: SnapshotRequest,
  scope = EVERYTHING,
): Promise<{ source: Source; preview: Preview }> {
  const source = await resolveSource(database.kysely, clock, request)
  requireScope(source, scope)
  const { members, points, leaves, banned } = await countSource(database.kysely, source)
  if (members === 0) throw isEmpty(source.kind, idOf(source))
  const { kind, name, asOf } = source
  const bytes = neededBytes({ members, leaves })
  const leftOut = members - leaves
  const first = await firstMembers(database.kysely, source, leftOut)
  return { source, preview: { kind, name, asOf, members, points, leaves, leftOut, banned, bytes, ...first } }
}

/** Seals a list in one transaction. If an error occurs, no part of the snapshot is stored. @throws SnapshotError */
export async function sealSnapshot(
  deps: SnapshotDependencies,
  source: Source,
  { request, note, ...options }: { request: Pick<SnapshotRequest, 'isPublic' | 'note'>; note: Note } & BuildOptions,
): Promise<Snapshot> {
  const id = deps.random.uuid()
  await building(deps, () =>
    deps.database.kysely.transaction().execute(async (trx) => {
      await insertSnapshot(trx, newSnapshot(deps, id, source, request))
      await note(trx, detailsOf(id, source))
      await fill(deps, trx, id, source, options)
    }),
  )
  return showSnapshot(deps, id)
}

/** Stores a request for a snapshot. A background job seals the snapshot later (job.ts). @throws SnapshotError */
export async function requestSnapshot(
  deps: SnapshotDependencies,
  request: SnapshotRequest,
  { note, scope = EVERYTHING, begin }: Change,
): Promise<Snapshot> {
  const source = await resolveSource(deps.database.kysely, deps.clock, request)
  requireScope(source, scope)
  const id = deps.random.uuid()
  await deps.database.kysely.transaction().execute(async (trx) => {
    await begin?.(trx)
    await insertSnapshot(trx, newSnapshot(deps, id, source, request))
    await note(trx, detailsOf(id, source))
  })
  return showSnapshot(deps, id)
}

/**
 * Seals the oldest stored request that no other process is sealing. First calls `begin` with its id, while no other process can
 * begin with it. If `begin` returns false, does not seal it.
 * @throws SnapshotError if the list cannot be sealed
 */
export async function sealOldestRequest(
  deps: SnapshotDependencies,
  { begin, ...options }: { begin: (trx: Transaction<DB>, id: string) => Promise<boolean> } & BuildOptions,
): Promise<void> {
  await building(deps, () =>
    deps.database.kysely.transaction().execute(async (trx) => {
      const id = await lockOldestWaiting(trx)
      if (id === undefined || !(await begin(trx, id))) return
      const wanted = await showSnapshot(deps, id)
      await fill(deps, trx, id, await sourceOf(deps, wanted), options)
    }),
  )
}

async function fill(
  deps: SnapshotDependencies,
  trx: Transaction<DB>,
  id: string,
  source: Source,
  options: BuildOptions,
): Promise<void> {
  const counts = await countSource(deps.database.kysely, source)
  await requireDisk(deps, counts)
  const sealed = await buildContents(deps.database, trx, id, source, options)
  if (sealed.members === 0) throw isEmpty(source.kind, idOf(source))
  await markSealed(trx, id, sealed, { asOf: source.asOf, at: new Date(deps.clock.now()), banned: counts.banned })
}

/**
 * Finds the source of a stored request. A board has the version of the request, and a quest has the participants at the
 * time of the request. A credential has its current holders, because past holders are not kept.
 */
async function sourceOf({ database, clock }: SnapshotDependencies, wanted: Snapshot): Promise<Source> {
  const { kind, spaceId, sprintId, credentialId, questId, asOf, version } = wanted
  const ids = {
    spaceId: kind === 'space' ? (spaceId ?? undefined) : undefined,
    sprintId: sprintId ?? undefined,
    credentialId: credentialId ?? undefined,
    questId: questId ?? undefined,
  }
  const at = kind === 'credential' ? undefined : asOf
  const source = await resolveSource(database.kysely, clock, { ...ids, at, isPublic: wanted.public })
  return source.kind === 'space' && version !== null ? { ...source, version, asOf } : source
}

/** If the disk is full, frees the space of the rows that were rolled back. @throws SnapshotError if the disk is full */
async function building(deps: SnapshotDependencies, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if ((error as { code?: unknown }).code !== DISK_FULL) throw error
    await releaseSpace(deps.database.kysely).catch(() => {})
    throw new SnapshotError('INSUFFICIENT_STORAGE', 'The disk of the database is full. Nothing was stored.')
  }
}

/** Checks the free space for an embedded database. The service cannot read the disk of an external database. */
async function requireDisk({ config }: SnapshotDependencies, counts: SourceCounts): Promise<void> {
  if (config.databaseUrl !== undefined) return
  const needed = neededBytes(counts)
  const disk = await statfs(config.dataDir).catch(() => undefined)
  if (!disk || needed <= disk.bavail * disk.bsize) return
  throw new SnapshotError(
    'INSUFFICIENT_STORAGE',
    `The snapshot needs up to ${inMegabytes(needed)} on the disk of the database, which has ${inMegabytes(disk.bavail * disk.bsize)} free. Nothing was stored.`,
  )
}

export const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`

export interface SnapshotPage {
  items: Snapshot[]
  /** The start of the next page; null on the last page. */
  next: string | null
}

/** Lists snapshots, the newest first. */
export async function listSnapshots(
  { database }: Pick<SnapshotDependencies, 'database'>,
  { first, after, scope = EVERYTHING }: { first: number; after?: string | undefined; scope?: Within },
): Promise<SnapshotPage> {
  const rows = await selectSnapshots(database.kysely, { ...scope, limit: first + 1, after })
  const items = rows.slice(0, first)
  return { items, next: rows.length > first ? (items.at(-1)?.id ?? null) : null }
}

/** @throws SnapshotError if the snapshot does not exist or is outside the scope */
export async function showSnapshot(
  { database }: Pick<SnapshotDependencies, 'database'>,
  id: string,
  scope = EVERYTHING,
): Promise<Snapshot> {
  const found = SNAPSHOT_ID.test(id) ? await findSnapshot(database.kysely, id, scope) : undefined
  if (!found) throw snapshotNotFound(id.slice(0, 100))
  return found
}

export const SNAPSHOT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @throws SnapshotError unless the snapshot exists and is sealed */
export async function requireSealed(
  deps: Pick<SnapshotDependencies, 'database'>,
  id: string,
  scope = EVERYTHING,
): Promise<Snapshot> {
  return requireSeal(await showSnapshot(deps, id, scope))
}

/** @throws SnapshotError unless the snapshot is sealed */
export function requireSeal(snapshot: Snapshot): Snapshot {
  const { id, state, failure } = snapshot
  if (state === 'sealed') return snapshot
  const why = state === 'failed' ? `it failed: ${failure}` : 'it is being built; try again later'
  throw new SnapshotError('CONFLICT', `The snapshot ${id} is not sealed: ${why}`, undefined, fault('not_sealed'))
}

/** Deletes a snapshot with its list and Merkle tree. @throws SnapshotError */
export async function deleteSnapshot(
  deps: Pick<SnapshotDependencies, 'database'>,
  id: string,
  { note, scope = EVERYTHING, begin }: Change,
): Promise<void> {
  const snapshot = await showSnapshot(deps, id, scope)
  await deps.database.kysely.transaction().execute(async (trx) => {
    await begin?.(trx)
    if (!(await deleteSnapshotRow(trx, id))) throw snapshotNotFound(id)
    await deleteContents(trx, id)
    await note(trx, { snapshot: id, kind: snapshot.kind, id: subjectOf(snapshot) })
  })
}

/** The id of the sealed space (`40`), sprint (`40-3`), credential or quest, in the format of the commands. */
export function subjectOf({ kind, spaceId, sprintId, credentialId, questId }: Snapshot): string {
  if (kind === 'credential') return credentialId ?? ''
  if (kind === 'quest') return questId ?? ''
  return sprintId === null ? String(spaceId) : `${spaceId}-${sprintId}`
}

function idOf(source: Source): string {
  if (source.kind === 'credential') return source.credentialId
  if (source.kind === 'quest') return source.questId
  return source.sprintId === 0 ? String(source.spaceId) : `${source.spaceId}-${source.sprintId}`
}

const newSnapshot = (
  { clock }: SnapshotDependencies,
  id: string,
  source: Source,
  { isPublic, note }: Pick<SnapshotRequest, 'isPublic' | 'note'>,
) => ({ id, source, isPublic, note, createdAt: new Date(clock.now()) })

const detailsOf = (id: string, source: Source) => ({ snapshot: id, kind: source.kind, id: idOf(source) })

function requireScope(source: Source, { spaceIds, credentialIds }: Within): void {
  const allowed =
    source.kind === 'credential'
      ? credentialIds === null || credentialIds.includes(source.credentialId)
      : spaceIds === null || spaceIds.includes(source.spaceId)
  if (!allowed) throw new SnapshotError('PERMISSION_DENIED', `You have no right to the ${source.kind} ${idOf(source)}.`)
}
