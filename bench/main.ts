import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openCluster } from './data/cluster.ts'
import { inOrder } from './harness/results.ts'
import type { BenchContext, Row, Sizes } from './harness/row.ts'
import { runRows } from './harness/run-rows.ts'
import { PINNING } from './processes/cores.ts'
import { useWorkers } from './processes/service.ts'

const USAGE = `npm run bench [-- ROW… --quick --rounds N --workers N --list]

  ROW…        rows such as S1 T1; all without a name
  --quick     small data sets and few rounds: shows that the rows work; results are not stored
  --rounds N  rounds of a row that compares (default 5)
  --workers N the service of the rows has N workers; the results are listed next to those of one, as S1w2
  --list      names the rows

Settings: QUESTBOARD_BENCH_DATA (folder of the data sets, default bench/.data; 12 GB when all are built),
DATABASE_URL (a PostgreSQL server of your own whose user may create databases; default: an embedded one. For the
coordinator of a Citus cluster, rows with a database of their own distribute its tables, and their results are T1c, …).
`

const FOLDER = join(import.meta.dirname, 'rows')
const FULL: Sizes = {
  tiny: 10_000,
  small: 100_000,
  middle: 1_000_000,
  large: 10_000_000,
  holders: 10_000_000,
  handles: 100_000,
}
const QUICK: Sizes = { tiny: 2_000, small: 10_000, middle: 50_000, large: 200_000, holders: 200_000, handles: 10_000 }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    workers: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const rows = await loadRows()
const names = rows.map(({ name }) => name)
const unknown = positionals.filter((name) => !names.includes(name))
const workers = Number(options.workers)
const rounds = Number(options.rounds ?? (options.quick ? 2 : 5))

if (options.help) process.stdout.write(USAGE)
else if (options.list) for (const { name, title } of rows) process.stdout.write(`${name.padEnd(4)} ${title}\n`)
else if (unknown.length > 0 || ![rounds, workers].every((count) => Number.isInteger(count) && count > 0)) {
  process.stderr.write(
    `${unknown.length > 0 ? `There is no row ${unknown.join(', ')}.` : '--rounds and --workers need a whole number.'}\n\n${USAGE}`,
  )
  process.exitCode = 2
} else await run(positionals.length === 0 ? rows : rows.filter(({ name }) => positionals.includes(name)))

async function run(chosen: readonly Row[]): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const sizes = options.quick ? QUICK : FULL
  useWorkers(workers)
  const cluster = await openCluster({ sizes, quick: options.quick, say })
  try {
    const context: BenchContext = { quick: options.quick, rounds, sizes, say, ...cluster }
    const named = workers === 1 ? chosen : chosen.map(withWorkers)
    const met = await runRows(cluster.distributed ? named.map(onCluster) : named, context, () => cluster.version)
    process.exitCode = met ? 0 : 1
  } finally {
    await cluster.close()
  }
}

/** The same row for a service of several processes, on all cores; its references stay on one. */
function withWorkers(row: Row): Row {
  return {
    ...row,
    name: `${row.name}w${workers}`,
    title: `${row.title}: ${workers} workers`,
    measures: row.measures.map((measure) => ({ ...measure, limit: measure.limitOfWorkers ?? measure.limit })),
    async run(context) {
      const result = await row.run(context)
      const circumstances = `The service has ${workers} workers and a first process on all ${availableParallelism()} cores, which it shares with the load generator and PostgreSQL. References have one core.`
      return { ...result, notes: [...(result.notes ?? []).filter((note) => note !== PINNING), circumstances] }
    },
  }
}

/** The same row with distributed tables. */
function onCluster(row: Row): Row {
  return row.ownServer ? row : { ...row, name: `${row.name}c`, title: `${row.title}: on a Citus cluster` }
}

/** Every row of the folder, in the order of the names: S1, S2, … */
async function loadRows(): Promise<Row[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts'))
  const modules = await Promise.all(files.map((file) => import(join(FOLDER, file)) as Promise<{ row: Row }>))
  return modules.map(({ row }) => row).toSorted((one, other) => inOrder(one.name, other.name))
}
