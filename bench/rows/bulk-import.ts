import { createReadStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { from as copyFrom } from 'pg-copy-streams'
import { systemClock } from '../../server/src/clock.ts'
import { importFile } from '../../server/src/ingest/import-file.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { sweepHolderLists } from '../../server/src/ingest/holders-sweep.ts'
import { withClient } from '../../server/test/support/nodes.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { DATA_FOLDER } from '../data/cluster.ts'
import { interleave, median, ratios, timed } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'

const SPACE = 6
const CREDENTIAL = '6'

/** The same rows twice: as a file that is imported, and as what COPY takes for the table that holds them in the end. */
interface Files {
  points: string
  pointsCopy: string
  holders: string
  holdersCopy: string
}

export const row: Row = {
  name: 'S6',
  title: 'bulk import against a bare COPY of the same rows into an equally indexed table',
  measures: [
    { title: 'import of points: rows/s in those of COPY', bound: '>=', limit: 0.5 },
    { title: 'import of holders: rows/s in those of COPY', bound: '>=', limit: 0.5 },
    { title: 'replacement of a holder list: rows/s in those of COPY', bound: '>=', limit: 0.5 },
  ],
  async run(context) {
    const rows = context.quick ? 50_000 : 500_000
    const database = await context.fresh('s6')
    const folder = join(DATA_FOLDER, 's6')
    const files = await writeFiles(folder, rows)
    const deps = { database, clock: systemClock }
    const take = (file: string, replace = false) =>
      importFile(deps, file, { standardInput: process.stdin, kind: replace ? 'holders' : undefined, replace })
    try {
      await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Bulk' }])
      await importRecords(deps, 'credentials', [
        { id: CREDENTIAL, name: 'Bulk', credType: 'EVM_ADDRESS', credSource: 'CSV' },
      ])
      const perSecond = async (work: () => Promise<unknown>) => {
        await database.pool.query('CHECKPOINT')
        return (rows / (await timed(work))) * 1000
      }
      // The first round meets cold caches and files that grow: it warms up.
      const measured = await interleave(
        context.rounds + 1,
        {
          points: () => perSecond(async () => mustHave(rows, rows, await take(files.points))),
          pointsCopy: () => perSecond(() => copy(database, 's6_board_entries', files.pointsCopy)),
          holders: async () => {
            await emptyList(database)
            return perSecond(async () => mustHave(rows, rows, await take(files.holders)))
          },
          holdersCopy: () => perSecond(() => copy(database, 's6_credential_holders', files.holdersCopy)),
          replace: async () => {
            await emptyList(database)
            mustHave(rows, rows, await take(files.holders))
            // The new list has the same holders, so none is added.
            return perSecond(async () => mustHave(rows, 0, await take(files.holders, true)))
          },
        },
        () => reset(database),
      )
      const rate = (side: keyof typeof measured) => measured[side].slice(1)
      return {
        values: [
          median(ratios(rate('points'), rate('pointsCopy'))),
          median(ratios(rate('holders'), rate('holdersCopy'))),
          median(ratios(rate('replace'), rate('holdersCopy'))),
        ],
        figures: [
          { side: `import of ${rows} points`, unit: 'rows/s', rounds: rate('points') },
          { side: 'COPY into a table like board_entries', unit: 'rows/s', rounds: rate('pointsCopy') },
          { side: `import of ${rows} holders`, unit: 'rows/s', rounds: rate('holders') },
          { side: `import of ${rows} holders --replace`, unit: 'rows/s', rounds: rate('replace') },
          { side: 'COPY into a table like credential_holders', unit: 'rows/s', rounds: rate('holdersCopy') },
        ],
        notes: [
          'Both sides read a file and write through one connection. COPY gets the rows ready as the table holds them; the import reads CSV, checks every field, and finds out what is new. Tables are empty before each of them; the replacement takes the place of the same list, imported right before it and outside of its time.',
        ],
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function copy({ connection }: BenchDatabase, table: string, file: string): Promise<void> {
  await withClient(connection, (client) =>
    pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), client.query(copyFrom(`COPY ${table} FROM STDIN`))),
  )
}

/** What was measured is what the row says, whatever came before it. */
function mustHave(read: number, added: number, report: { read: number; added: number }): void {
  if (report.read !== read || report.added !== added)
    throw new Error(`an import read ${report.read} and added ${report.added}; wanted: ${read} and ${added}`)
}

async function emptyList(database: BenchDatabase): Promise<void> {
  await sweepHolderLists(database.kysely, systemClock.now())
  await database.pool.query('TRUNCATE credential_holders; UPDATE credentials SET item_count = 0')
}

async function reset(database: BenchDatabase): Promise<void> {
  await emptyList(database)
  await database.pool.query(`
    TRUNCATE board_entries, board_past, ledger_entries, board_moves, boards, space_versions, space_version_times;
    DROP TABLE IF EXISTS s6_board_entries, s6_credential_holders;
    CREATE TABLE s6_board_entries (LIKE board_entries INCLUDING ALL);
    CREATE TABLE s6_credential_holders (LIKE credential_holders INCLUDING ALL)`)
}

async function writeFiles(folder: string, rows: number): Promise<Files> {
  await mkdir(folder, { recursive: true })
  const at = (name: string) => join(folder, name)
  const files = {
    points: at('points.csv'),
    pointsCopy: at('points.copy'),
    holders: at('holders.csv'),
    holdersCopy: at('holders.copy'),
  }
  await write(files.points, 'spaceId,address,points\n', rows, (n) => `${SPACE},${address(n)},${n % 100_000}\n`)
  await write(files.pointsCopy, '', rows, (n) => {
    const name = address(n).slice(2, 12)
    return `${SPACE}\t0\t${n % 100_000}\t${address(n)}\t1\t${name}\t\n`
  })
  await write(files.holders, 'credentialId,address\n', rows, (n) => `${CREDENTIAL},${address(n)}\n`)
  await write(files.holdersCopy, '', rows, (n) => `${CREDENTIAL}\t1\t${address(n)}\n`)
  return files
}

async function write(file: string, header: string, rows: number, line: (n: number) => string): Promise<void> {
  const handle = await open(file, 'w')
  let text = header
  for (let n = 0; n < rows; n++) {
    text += line(n)
    if (text.length > 1024 * 1024) {
      await handle.write(text)
      text = ''
    }
  }
  await handle.write(text)
  await handle.close()
}

/** Addresses come in no order, as they do in real lists: an odd multiplier spreads the numbers over all of them. */
function address(n: number): string {
  const spread = (BigInt(n) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn
  return `0x${spread.toString(16).padStart(16, '0')}${n.toString(16).padStart(24, '0')}`
}
