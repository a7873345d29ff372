import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchDatabase } from '../data/bench-database.ts'
import { onCore } from '../processes/cores.ts'

/** A statement for pgbench, with the contents of its parameters in their order. */
export interface Asked {
  text: string
  /** A number is the index of one of the values of each run, counted from 0. */
  parameters: readonly ({ fixed: string | number } | { own: number })[]
}

/** Values of one run of a statement. */
export type Values = readonly (string | number)[]

/** Connections, as many as the references have. */
export const CLIENTS = 8
/** pgbench reads texts only from results of statements, so one look-up fetches the values for this number of runs. */
export const RUNS_PER_LOOKUP = 20

/** How many runs of those wanted come out even, on every connection. */
export function evenRuns(wanted: number): number {
  return wanted - (wanted % (CLIENTS * RUNS_PER_LOOKUP))
}

/** Writes down the values of the runs where pgbench finds them; each is used once. */
export async function writeValues({ pool }: BenchDatabase, values: readonly Values[]): Promise<void> {
  const lines = Array.from({ length: evenRuns(values.length) / RUNS_PER_LOOKUP }, (_, line) =>
    values.slice(line * RUNS_PER_LOOKUP, (line + 1) * RUNS_PER_LOOKUP).flat(),
  )
  const columns = (lines[0] ?? []).map((_, at) => `v${at}`)
  await dropValues({ pool })
  await pool.query(
    `CREATE UNLOGGED TABLE bench_values (id integer PRIMARY KEY, ${columns.map((name) => `${name} text`).join(', ')})`,
  )
  await pool.query(
    `INSERT INTO bench_values SELECT line - 1, ${columns.map((_, at) => `v ->> ${at}`).join(', ')}
     FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS lines (v, line)`,
    [JSON.stringify(lines)],
  )
  await pool.query('VACUUM (ANALYZE) bench_values')
}

export async function dropValues({ pool }: Pick<BenchDatabase, 'pool'>): Promise<void> {
  await pool.query('DROP TABLE IF EXISTS bench_values')
}

/**
 * Runs a statement once with each of the values that were written down.
 * @param pipelined each connection sends the runs of a look-up together, in place of one after the other's answer
 * @returns runs a second, look-ups not counted
 */
export async function runPgbench(
  pgbench: string,
  { connection }: Pick<BenchDatabase, 'connection'>,
  asked: Asked,
  { runs, pipelined }: { runs: number; pipelined: boolean },
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-pgbench-'))
  const file = join(folder, 'script.sql')
  const turns = evenRuns(runs) / RUNS_PER_LOOKUP / CLIENTS
  const { host = 'localhost', port = 5432, user = '', database = '', password } = connection
  const [command, args] = onCore('load', pgbench, [
    ...['--no-vacuum', '--protocol=prepared', `--client=${CLIENTS}`, '--jobs=1', `--transactions=${turns}`],
    ...['--define=turn=0', ...fixedValues(asked), `--file=${file}`],
    ...[`--host=${host}`, `--port=${port}`, `--username=${user}`, database],
  ])
  const env = { ...process.env, ...(typeof password === 'string' && { PGPASSWORD: password }) }
  try {
    await writeFile(file, scriptOf(asked, pipelined))
    const { stdout } = await promisify(execFile)(command, args, { env })
    return RUNS_PER_LOOKUP * transactionsPerSecond(stdout, turns * CLIENTS)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Each connection reads different lines of values. */
function scriptOf(asked: Asked, pipelined: boolean): string {
  const own = asked.parameters.filter((parameter) => 'own' in parameter).length
  const runs = Array.from({ length: RUNS_PER_LOOKUP }, (_, run) => {
    const variableOf = (at: number) => {
      const parameter = asked.parameters[at]
      return parameter && 'own' in parameter ? `:v${run * own + parameter.own}` : `:f${at}`
    }
    return `${asked.text.replaceAll(/\$(\d+)/g, (_, number: string) => variableOf(Number(number) - 1))};`
  })
  const lookUp = [
    String.raw`\set id :turn * ${CLIENTS} + :client_id`,
    String.raw`\set turn :turn + 1`,
    String.raw`SELECT * FROM bench_values WHERE id = :id \gset`,
  ]
  const together = pipelined ? [String.raw`\startpipeline`, ...runs, String.raw`\endpipeline`] : runs
  return `${[...lookUp, ...together].join('\n')}\n`
}

function fixedValues({ parameters }: Asked): string[] {
  return parameters.flatMap((parameter, at) => ('fixed' in parameter ? [`--define=f${at}=${parameter.fixed}`] : []))
}

/** @throws when not every transaction was done */
function transactionsPerSecond(printed: string, wanted: number): number {
  const done = Number(/^number of transactions actually processed: (\d+)/m.exec(printed)?.[1])
  const rate = Number(/^tps = ([\d.]+) \(without initial connection time\)/m.exec(printed)?.[1])
  if (done !== wanted || !(rate > 0)) throw new Error(`pgbench did not do its ${wanted} transactions: ${printed}`)
  return rate
}
