import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const LOG = join(import.meta.dirname, '../src/log.ts')
const CLOCK = join(import.meta.dirname, '../src/clock.ts')

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
