import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isForPeople, sentence } from '../../src/logging/log-for-people.ts'

const LOG = join(import.meta.dirname, '../../src/logging/log.ts')
const CLOCK = join(import.meta.dirname, '../../src/clock.ts')

/** Lines of a process that logs, answers so many requests in one turn, logs again and ends in some way. */
function linesOf(ending: string, { worker = '', requests = 3 } = {}): { msg: string; worker?: number }[] {
  const script = `
    const { createLog, accessLog } = await import(${JSON.stringify(LOG)})
    const { systemClock } = await import(${JSON.stringify(CLOCK)})
    const log = createLog({ logLevel: 'info' }, ${worker || undefined})
    const line = accessLog(log, systemClock)
    log.info('before')
    for (let n = 0; n < ${requests}; n++) line({ msg: 'query', operation: 'é'.repeat(300), n })
    log.error('behind')
    ${ending}`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  const lines = stderr.split('\n').filter((text) => text.startsWith('{"level"'))
  return lines.map((text) => JSON.parse(text) as { msg: string })
}

test.each([
  ['ends by itself', ''],
  ['exits', 'process.exit(1)'],
  ['ends by a mistake', 'setImmediate(() => { throw new Error("a mistake") })'],
])('no line is lost, and all are in order, when the process %s', (_, ending) => {
  expect(linesOf(ending).map(({ msg }) => msg)).toEqual(['before', 'query', 'query', 'query', 'behind'])
})

test('a worker writes lines whole, however many a turn has', () => {
  const lines = linesOf('process.exit()', { worker: '2', requests: 200 })
  expect(lines).toHaveLength(202)
  expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([2]))
})

test('at a terminal the log is sentences; elsewhere, and in production, it stays JSON', () => {
  expect(isForPeople({ isTTY: true })).toBe(true)
  expect(isForPeople({ isTTY: true }, true)).toBe(false)
  expect(isForPeople({})).toBe(false)
  const said = (line: object) => sentence(JSON.stringify({ time: '2026-11-21T12:00:00.000Z', ...line }))
  expect(said({ level: 30, worker: 0, signal: 'SIGINT', msg: 'stopping' })).toMatch(
    /^\d\d:\d\d:\d\d {2}Stopping \(signal SIGINT\)\.\n$/,
  )
  expect(said({ level: 30, worker: 2, token_id: 'a', status: 200, msg: 'query' })).toMatch(
    / {2}Query \(token id a, status 200, worker 2\)\.\n$/,
  )
  expect(said({ level: 30, migrations: ['a', 'b', 'c', 'd'], msg: 'applied' })).toMatch(
    /Applied \(migrations 4 of them\)/,
  )
  const err = { message: 'gone', stack: 'Error: gone\n    at here' }
  expect(said({ level: 40, err, msg: 'the database was lost' })).toMatch(/Warning: the database was lost: gone\.\n$/)
  expect(said({ level: 50, err, msg: 'a query failed' })).toMatch(
    /Error: a query failed: gone\.\nError: gone\n {4}at here\n$/,
  )
  // What others send neither moves the cursor nor begins a line.
  expect(said({ level: 30, detail: '\u001b[2Ja\r\n12:00:00  b\u009b', msg: 'refused' })).toMatch(
    / {2}Refused \(detail \\u001b\[2Ja\\u000d\\u000a12:00:00 {2}b\\u009b\)\.\n$/,
  )
})
