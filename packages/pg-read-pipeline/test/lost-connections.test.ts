import { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createReadPipeline, type Reader, statement } from '../src/index.ts'
import { ReadConnection } from '../src/read-connection.ts'
import { ReadQueue } from '../src/read-queue.ts'
import { type Asked, type Line, type ScriptedPostgres, scriptedPostgres } from './scripted-postgres.ts'

const [fine, wrong, behind] = (['fine', 'wrong', 'behind'] as const).map((name) =>
  statement<{ text: string | null }>(`test.scripted-${name}`, `SELECT '${name}'`, ([text = null]) => ({ text })),
) as [Answering, Answering, Answering]
type Answering = ReturnType<typeof statement<{ text: string | null }>>

const DIVISION_BY_ZERO = '22012'
const SERIALIZATION_FAILURE = '40001'
const ADMIN_SHUTDOWN = '57P01'

const unavailable = (cause: unknown) => cause as Error

/** The groups of statements on each connection. */
type Heard = string[][]

async function serve(script: (line: Line, asked: readonly Asked[]) => void) {
  const heard: Heard = []
  const server = await scriptedPostgres((line, asked) => {
    const groups = (heard[line.number - 1] ??= [])
    groups.push(asked.map(({ name }) => name.replace('test.scripted-', '')).join(' '))
    script(line, asked)
  })
  onTestFinished(() => server.close())
  return { server, heard }
}

function oneConnectionTo({ connection }: ScriptedPostgres): Reader {
  const createClient = (settings: ClientConfig) => new Client({ ...connection, ...settings })
  const pipeline = createReadPipeline({ createClient, connections: 1 })
  onTestFinished(() => pipeline.close())
  return pipeline
}

/** The results of the statements, sent in one turn; 'it hangs' if one does not end. */
function outcomes(database: Pick<Reader, 'read'>, statements = [fine, wrong, behind]): Promise<unknown[]> {
  return Promise.all(
    statements.map((each) =>
      Promise.race([
        database.read(each, []).then(
          ([row]) => row?.text,
          (error: Error & { code?: string }) => error.code ?? error.message,
        ),
        new Promise((resolve) => setTimeout(resolve, 4_000, 'it hangs').unref()),
      ]),
    ),
  )
}

function answerAll(line: Line, asked: readonly Asked[]): void {
  for (const each of asked) line.row(each, each.name)
  line.ready()
}

const endings: [string, (line: Line) => void][] = [
  ['closes the connection', (line) => line.end()],
  [
    'says that it ends',
    (line) => {
      line.error('FATAL', ADMIN_SHUTDOWN)
      line.end()
    },
  ],
  ['says that it ends, and keeps the connection', (line) => line.error('FATAL', ADMIN_SHUTDOWN)],
]

test.for(endings)('settles all reads if a server %s after an error, before ReadyForQuery', async ([, end]) => {
  const { server, heard } = await serve((line, asked) => {
    if (line.number > 1) return answerAll(line, asked)
    line.row(asked[0] as Asked, 'well')
    line.error('ERROR', DIVISION_BY_ZERO)
    end(line)
  })
  expect(await outcomes(oneConnectionTo(server))).toEqual(['well', DIVISION_BY_ZERO, 'test.scripted-behind'])
  expect(heard).toEqual([['fine wrong behind'], ['behind']])
})

test('settles all reads if the connection breaks after an error, before ReadyForQuery', async () => {
  const { server, heard } = await serve((line, asked) => {
    if (line.number > 1) answerAll(line, asked)
    else line.error('ERROR', DIVISION_BY_ZERO)
  })
  const database = oneConnectionTo(server)
  const breaking = database.read(wrong, []).catch(() => server.lines[0]?.reset())
  expect(await outcomes(database, [behind])).toEqual(['test.scripted-behind'])
  await breaking
  expect(heard).toEqual([['wrong behind'], ['behind']])
})

test.for(endings)('retries a temporary error once if a server %s after it', async ([, end]) => {
  const { server, heard } = await serve((line, asked) => {
    if (asked[0]?.name !== wrong.name) return answerAll(line, asked)
    line.error('ERROR', SERIALIZATION_FAILURE)
    end(line)
  })
  const answers = await outcomes(oneConnectionTo(server), [wrong, behind])
  expect(answers).toEqual([SERIALIZATION_FAILURE, 'test.scripted-behind'])
  expect(heard).toEqual([['wrong behind'], ['wrong behind'], ['behind']])
})

test('fails a statement that ends two connections, and runs the statements after it', async () => {
  const { server, heard } = await serve((line, asked) => {
    if (asked[0]?.name !== wrong.name) return answerAll(line, asked)
    line.error('FATAL', ADMIN_SHUTDOWN)
    line.end()
  })
  const answers = await outcomes(oneConnectionTo(server), [wrong, behind])
  expect(answers).toEqual([ADMIN_SHUTDOWN, 'test.scripted-behind'])
  expect(heard).toEqual([['wrong behind'], ['wrong behind'], ['behind']])
})

/** A connection whose close event is late. */
class SlowToClose extends Socket {
  static readonly waiting: (() => void)[] = []
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    SlowToClose.waiting.push(() => super._destroy(error, done))
  }
}

test('ignores the late close event of an earlier connection', async () => {
  const { server, heard } = await serve((line, asked) => {
    if (line.number === 1 || asked[0]?.name !== wrong.name) return answerAll(line, asked)
    clients[0]?.once('end', () => {
      line.error('ERROR', DIVISION_BY_ZERO)
      line.ready()
    })
    for (const close of SlowToClose.waiting.splice(0)) close()
  })
  const clients: Client[] = []
  const made = (): Client => {
    const client = new Client({ ...server.connection, stream: () => new SlowToClose() })
    clients.push(client)
    return client
  }
  const connection = new ReadConnection({ createClient: made, maxPrepared: 16, statementTimeout: 10_000, unavailable })
  const queue = new ReadQueue([connection], unavailable)
  onTestFinished(async () => {
    const closed = queue.close()
    await expect.poll(() => SlowToClose.waiting.length).toBeGreaterThan(0)
    for (const close of SlowToClose.waiting.splice(0)) close()
    await closed
  })
  expect(await outcomes(queue, [fine])).toEqual(['test.scripted-fine'])
  server.lines[0]?.error('FATAL', ADMIN_SHUTDOWN)
  await expect.poll(() => connection.isOpen).toBe(false)
  expect(await outcomes(queue, [wrong, behind])).toEqual([DIVISION_BY_ZERO, 'test.scripted-behind'])
  expect(heard).toEqual([['fine'], ['wrong behind', 'behind']])
})
