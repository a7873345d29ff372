import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ask } from '../../support/ask.ts'
import { findJq } from '../../support/jq.ts'
import { MAIN, processEnvironment, temporaryDataDir } from '../../support/process.ts'

const run = promisify(execFile)
const hasJq = findJq() !== undefined
if (!hasJq) process.stderr.write('The jq command of docs/watch.md does not read the output: this machine has no jq.\n')

interface Line {
  level: number
  time: string
  msg?: string
  url?: string
  demo_token_file?: string
}

let output = ''
let folder: Awaited<ReturnType<typeof temporaryDataDir>>
beforeAll(async () => {
  folder = await temporaryDataDir()
  const child = spawn(process.execPath, [MAIN], {
    env: processEnvironment(folder.dataDir, { QUESTBOARD_LOG_LEVEL: 'info', WORKERS: '2' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await vi.waitFor(() => expect(output).toContain('"msg":"ready"'), 200_000)
  const ready = linesOf(output).find(({ msg }) => msg === 'ready')
  const token = (await readFile(ready?.demo_token_file ?? '', 'utf8')).trim()
  await ask(ready?.url ?? '', '{ space(id: 40) { name } }', { token })
  child.kill('SIGINT')
  // Not 'exit': output may follow it.
  await once(child, 'close')
})
afterAll(() => folder.remove())

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

it('writes only JSON lines to both streams, from the start to the stop', () => {
  const lines = linesOf(output)
  expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['demo data', 'ready', 'stopped']))
  for (const { level, time } of lines) {
    expect(level).toEqual(expect.any(Number))
    expect(new Date(time).toISOString()).toBe(time)
  }
})

it('keeps the demo token out of the output', async () => {
  const token = (await readFile(join(folder.dataDir, 'demo-token'), 'utf8')).trim()
  expect(output).not.toContain(token)
})

it.runIf(hasJq)('fits the jq command of docs/watch.md', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/watch.md'), 'utf8')
  const filter = /^jq -r '([^']+)' questboard\.log$/m.exec(page)?.[1] ?? ''
  const tokenId = /"token_id":"([^"]+)"/.exec(output)?.[1] ?? ''
  const jq = run('jq', ['-r', filter], { env: { ...process.env, TOKEN_ID: tokenId } })
  jq.child.stdin?.end(output)
  expect((await jq).stdout).toMatch(/^\S+\t200\t[\d.]+\t\S+\t[0-9a-f]{32}$/m)
})
