import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { proveMember } from '../../server/src/snapshots/proof.ts'
import { deleteSnapshot, requireSealed } from '../../server/src/snapshots/snapshots.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { prepareBoards, SPACES } from '../data/boards.ts'
import type { Row } from '../harness/row.ts'
import { placesOnBoard } from '../load/first-time.ts'
import { residentBytes } from '../processes/cpu-time.ts'

const COMMAND = join(import.meta.dirname, '../../server/src/command/main.ts')
const MEGABYTE = 1e6
const PROOFS = 500

/** The board that is sealed: `middle` has 1,000,000 members, `large` 10,000,000. */
const SIZE = process.env.QUESTBOARD_BENCH_SNAPSHOT === 'middle' ? 'middle' : 'large'

export const row: Row = {
  name: 'S16',
  title: `a snapshot of a board of ${SIZE === 'middle' ? '1,000,000' : '10,000,000'} members with its Merkle tree`,
  // The limits are those of the largest board.
  measures:
    SIZE === 'middle'
      ? []
      : [
          { title: 'seconds of the command', bound: '<=', limit: 300 },
          { title: 'largest resident memory of the command in MB', bound: '<=', limit: 500 },
        ],
  async run(context) {
    const database = await context.reading()
    await prepareBoards(database, context, [SIZE])
    const { id, seconds, sizes } = await seal(database, SPACES[SIZE])
    try {
      const snapshot = await requireSealed({ database }, id)
      const places = await placesOnBoard(database, SPACES[SIZE], PROOFS)
      const start = performance.now()
      for (const { address } of places) await proveMember(database.kysely, snapshot, address)
      const perProof = (performance.now() - start) / places.length
      return {
        values: SIZE === 'middle' ? [] : [seconds, Math.max(...sizes)],
        figures: [
          { side: 'questboard snapshot create', unit: 's', rounds: [seconds] },
          { side: 'resident memory', unit: 'MB', rounds: sizes },
          { side: 'stored lists and nodes', unit: 'MB', rounds: [(snapshot.bytes ?? 0) / MEGABYTE] },
          { side: 'a proof', unit: 'ms', rounds: [perProof] },
        ],
        notes: [
          `${snapshot.members} members, ${snapshot.leaves} leaves. The time includes the start of the command and the count before sealing. Memory was read ten times a second; PostgreSQL's memory is not part of it. ${PROOFS} proofs, one after the other.`,
        ],
      }
    } finally {
      await deleteSnapshot({ database }, id, { note: async () => {} })
    }
  },
}

async function seal(
  database: BenchDatabase,
  spaceId: number,
): Promise<{ id: string; seconds: number; sizes: number[] }> {
  const sizes: number[] = []
  const start = performance.now()
  const args = [COMMAND, 'snapshot', 'create', '--space', String(spaceId), '--yes', '--json']
  const child = spawn(process.execPath, args, {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const look = setInterval(() => sizes.push(residentBytes(child.pid ?? 0) / MEGABYTE), 100)
  try {
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>])
    if (code !== 0) throw new Error(`questboard snapshot create ended with ${code}`)
    const { id } = JSON.parse(printed) as { id: string }
    return { id, seconds: (performance.now() - start) / 1_000, sizes: sizes.filter((size) => size > 0) }
  } finally {
    clearInterval(look)
  }
}
