import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { openCluster } from './data/cluster.ts'
import { inOrder } from './harness/results.ts'
import type { BenchContext, Row, Sizes } from './harness/row.ts'
import { runRows } from './harness/run-rows.ts'

const USAGE = `npm run bench [-- ROW… --quick --rounds N --list]

  ROW…        rows such as S1 T1; all without a name
  --quick     small data sets and few rounds: shows that the rows work; results are not stored
  --rounds N  rounds of a row that compares (default 5)
  --list      names the rows

Settings: QUESTBOARD_BENCH_DATA (folder of the data sets, default bench/.data; 12 GB when all are built),
DATABASE_URL (a PostgreSQL server of your own whose user may create databases; default: an embedded one).
`

const FOLDER = join(import.meta.dirname, 'rows')
const FULL: Sizes = { small: 100_000, middle: 1_000_000, large: 10_000_000, holders: 10_000_000, handles: 100_000 }
const QUICK: Sizes = { small: 10_000, middle: 50_000, large: 200_000, holders: 200_000, handles: 10_000 }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const names = await rowNames()
const unknown = positionals.filter((name) => !names.includes(name))
const rounds = Number(options.rounds ?? (options.quick ? 2 : 5))

if (options.help) process.stdout.write(USAGE)
else if (options.list)
  for (const { name, title } of await loadRows(names)) process.stdout.write(`${name.padEnd(4)} ${title}\n`)
else if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(
    `${unknown.length > 0 ? `There is no row ${unknown.join(', ')}.` : '--rounds needs a whole number.'}\n\n${USAGE}`,
  )
  process.exitCode = 2
} else await run(await loadRows(positionals.length === 0 ? names : names.filter((name) => positionals.includes(name))))

async function run(chosen: readonly Row[]): Promise<void> {
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  const sizes = options.quick ? QUICK : FULL
  const cluster = await openCluster({ sizes, quick: options.quick, say })
  try {
    const context: BenchContext = { quick: options.quick, rounds, sizes, say, ...cluster }
    const met = await runRows(chosen, context, () => cluster.version)
    process.exitCode = met ? 0 : 1
  } finally {
    await cluster.close()
  }
}

/** A row's file is called like the row: rows/s5.ts is S5. */
async function rowNames(): Promise<string[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts'))
  return files.map((file) => basename(file, '.ts').toUpperCase()).toSorted(inOrder)
}

async function loadRows(wanted: readonly string[]): Promise<Row[]> {
  const modules = wanted.map((name) => import(join(FOLDER, `${name.toLowerCase()}.ts`)) as Promise<{ row: Row }>)
  return (await Promise.all(modules)).map(({ row }) => row)
}
