import { Client, type ClientConfig, Pool } from 'pg'
import { createReadPipeline, statement } from '../src/index.ts'

/**
 * Compares the pipeline with the pipeline mode of `pg` and with its pool: the same named statements, with as many
 * connections and concurrent callers. Set DATABASE_URL; the benchmark creates and drops one table.
 */

const CONNECTIONS = 4
const CALLERS = 32
const ROUNDS = 7
const WARM_UP = 2
const ROWS = 100_000

const rowById = statement<{ id: number; name: string }>(
  'bench.row',
  'SELECT id, name FROM pg_read_pipeline WHERE id = $1',
)
const page = statement<{ id: number; name: string }>(
  'bench.page',
  'SELECT id, name FROM pg_read_pipeline WHERE id > $1 ORDER BY id LIMIT 50',
)

interface Side {
  read(prepared: typeof rowById, id: number): Promise<unknown[]>
  close(): Promise<unknown>
}

const connection: ClientConfig = { connectionString: process.env.DATABASE_URL }

function readPipeline(): Side {
  const createClient = (settings: ClientConfig) => new Client({ ...connection, ...settings })
  const pipeline = createReadPipeline({ createClient, connections: CONNECTIONS })
  return { read: (prepared, id) => pipeline.read(prepared, [id]), close: () => pipeline.close() }
}

async function pipelineMode(): Promise<Side> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client({ ...connection, pipeline: true }))
  await Promise.all(clients.map((client) => client.connect()))
  let next = 0
  return {
    async read({ name, text }, id) {
      const client = clients[next++ % CONNECTIONS] as Client
      return (await client.query<{ id: number }>({ name, text, values: [id] })).rows
    },
    close: () => Promise.all(clients.map((client) => client.end())),
  }
}

function pool(): Side {
  const connections = new Pool({ ...connection, max: CONNECTIONS })
  return {
    read: async ({ name, text }, id) => (await connections.query<{ id: number }>({ name, text, values: [id] })).rows,
    close: () => connections.end(),
  }
}

/** Reads a second. */
async function measure(side: Side, prepared: typeof rowById, count: number): Promise<number> {
  const started = performance.now()
  let left = count
  const call = async (): Promise<void> => {
    while (left-- > 0) {
      const rows = await side.read(prepared, 1 + Math.floor(Math.random() * (ROWS - 50)))
      if (rows.length === 0) throw new Error('a row is missing')
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  return (count * 1000) / (performance.now() - started)
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

const owner = new Client(connection)
await owner.connect()
await owner.query('CREATE TABLE pg_read_pipeline (id int PRIMARY KEY, name text)')
try {
  await owner.query(`INSERT INTO pg_read_pipeline SELECT id, 'row number ' || id FROM generate_series(1, $1) AS id`, [
    ROWS,
  ])
  await owner.query('VACUUM ANALYZE pg_read_pipeline')
  const sides = { 'read pipeline': readPipeline(), 'pg, pipeline mode': await pipelineMode(), 'pg, pool': pool() }
  const questions = [
    ['one row', rowById, 20_000],
    ['50 rows', page, 4_000],
  ] as const
  for (const [what, prepared, count] of questions) {
    const rates = new Map(Object.keys(sides).map((name) => [name, [] as number[]]))
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const order = Object.entries(sides)
      for (const [name, side] of round % 2 === 0 ? order : order.toReversed()) {
        const rate = await measure(side, prepared, count)
        if (round >= WARM_UP) rates.get(name)?.push(rate)
      }
    }
    const ours = rates.get('read pipeline') ?? []
    for (const [name, theirs] of rates) {
      const ratio = median(ours.map((rate, round) => rate / (theirs[round] as number)))
      console.log(`${what}: ${name} ${Math.round(median(theirs))}/s, read pipeline in it ${ratio.toFixed(2)}`)
    }
  }
  await Promise.all(Object.values(sides).map((side) => side.close()))
} finally {
  await owner.query('DROP TABLE pg_read_pipeline')
  await owner.end()
}
