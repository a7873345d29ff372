import { afterAll } from 'vitest'
import { systemRandom } from '../../src/random.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { download } from '../../src/snapshots/download.ts'
import type { FormatName } from '../../src/snapshots/formats.ts'
import type { SnapshotRequest } from '../../src/snapshots/snapshot-request.ts'
import { previewSnapshot, sealSnapshot, type SnapshotDependencies } from '../../src/snapshots/snapshots.ts'
import type { Snapshot } from '../../src/snapshots/snapshots.queries.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

export interface SnapshotWorld extends SnapshotDependencies {
  database: TestDatabase
  clock: TestClock
  seal(request: Partial<SnapshotRequest>): Promise<Snapshot>
  text(snapshot: Snapshot, format: FormatName): Promise<string>
}

export const noNote = async (): Promise<void> => {}

/** A database for snapshots; it ends with the test file. */
export async function snapshotWorld(): Promise<SnapshotWorld> {
  const database = await createTestDatabase()
  afterAll(() => database.drop())
  const clock = testClock()
  const deps = { database, clock, random: systemRandom, config: { databaseUrl: 'postgres://x', dataDir: '' } }
  return {
    ...deps,
    async seal(request) {
      const { source } = await previewSnapshot(deps, { isPublic: false, ...request })
      return sealSnapshot(deps, source, { request: { isPublic: false, ...request }, note: noNote })
    },
    async text(snapshot, format) {
      let all = ''
      for await (const part of download(database.kysely, snapshot, format)) all += part
      return all
    },
  }
}

/** Different EVM addresses in canonical form, evenly distributed. */
export const evmAddress = (n: number): string =>
  `0x${((BigInt(n + 1) * 0x9e3779b97f4a7c15f39cc0605cedc834n) % 2n ** 160n).toString(16).padStart(40, '0')}`

export async function giveBoard(
  { database, clock }: SnapshotWorld,
  spaceId: number,
  members: readonly { address: string; points: number; sprintId?: number }[],
): Promise<void> {
  await importRecords({ database, clock }, 'spaces', [{ spaceId, name: `Space ${spaceId}` }])
  const sprints = [...new Set(members.flatMap(({ sprintId }) => (sprintId === undefined ? [] : [sprintId])))]
  if (sprints.length > 0)
    await importRecords(
      { database, clock },
      'sprints',
      sprints.map((sprintId) => ({ spaceId, sprintId, name: `Sprint ${sprintId}` })),
    )
  await importRecords(
    { database, clock },
    'points',
    members.map((member) => ({ spaceId, ...member })),
  )
}
