import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createLineFormatter, isForPeople } from '../../src/logging/log-for-people.ts'

const LOG = join(import.meta.dirname, '../../src/logging/log.ts')
const CLOCK = join(import.meta.dirname, '../../src/clock.ts')

/** The log of a process that logs, serves requests in one turn, logs again, and ends as `ending` says. */
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
])('keeps all lines in order when the process %s', (_, ending) => {
  expect(linesOf(ending).map(({ msg }) => msg)).toEqual(['before', 'query', 'query', 'query', 'behind'])
})

test('writes whole lines in a worker, however many one turn has', () => {
  const lines = linesOf('process.exit()', { worker: '2', requests: 200 })
  expect(lines).toHaveLength(202)
  expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([2]))
})

describe('isForPeople', () => {
  test('accepts a terminal outside production', () => {
    expect(isForPeople({ isTTY: true })).toBe(true)
    expect(isForPeople({ isTTY: true }, true)).toBe(false)
    expect(isForPeople({})).toBe(false)
  })
})

describe('createLineFormatter', () => {
  const format = createLineFormatter(false)
  const time = '2026-11-21T12:00:00.000Z'

  test('writes the message first and the other fields after it', () => {
    expect(format(JSON.stringify({ level: 30, time, worker: 2, signal: 'SIGINT', msg: 'stopping' }))).toMatch(
      /^\[\d\d:\d\d:\d\d\] INFO: stopping \{"worker":2,"signal":"SIGINT"\}\n$/,
    )
  })

  test('writes the stack of an error on separate lines', () => {
    const err = { type: 'Error', message: 'gone', stack: 'Error: gone\n    at here' }
    expect(format(JSON.stringify({ level: 50, time, err, msg: 'query failed' }))).toMatch(
      /ERROR: query failed[^]*Error: gone\n +at here/,
    )
  })

  test('escapes control characters in every field', () => {
    const hostile = '\u001b[2Ja\r\n12:00:00  b\u009b\u2028'
    const err = { type: hostile, message: hostile, stack: `Error: ${hostile}` }
    const text = format(JSON.stringify({ level: 50, time, detail: hostile, err, msg: hostile }))
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/)
    expect(text).toContain('\\u001b[2Ja')
  })
})
