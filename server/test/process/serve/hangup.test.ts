import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MAIN, processEnvironment, temporaryDataDir } from '../../support/process.ts'

const COMMAND = join(import.meta.dirname, '../../../src/command/main.ts')

/** Exists while the embedded PostgreSQL runs. */
const hasPostmaster = (folder: string) =>
  readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('postmaster.pid'))

/** The process that runs in the terminal; the terminal is its parent. */
const childOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()

/** A process that has ended and was not waited for has an empty command line. */
const isRunning = (pid: string) =>
  existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(process.execPath)

it.skipIf(!existsSync('/usr/bin/script')).each([
  { name: 'during the first start', words: [MAIN], workers: '1', ready: 'no database found', demo: 'true' },
  { name: 'one worker', words: [MAIN], workers: '1', ready: 'Questboard is ready' },
  { name: 'two workers', words: [MAIN], workers: '2', ready: 'Questboard is ready' },
  { name: 'an import', words: [COMMAND, 'import', '-', '--kind', 'spaces'], workers: '1', ready: 'reading  1 line' },
])(
  'stops the embedded PostgreSQL when its terminal is closed ($name)',
  async ({ words, workers, ready, demo = 'false' }) => {
    const { dataDir, remove } = await temporaryDataDir()
    const settings = { WORKERS: workers, QUESTBOARD_DEMO: demo, QUESTBOARD_LOG_LEVEL: 'info' }
    const command = ['exec', process.execPath, ...words].join(' ')
    const terminal = spawn('/usr/bin/script', ['--quiet', '--command', command, '/dev/null'], {
      env: { ...processEnvironment(dataDir, settings), SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let printed = ''
    let started = ''
    terminal.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    terminal.stdin.write('spaceId,name\n1,One\n')
    try {
      await expect.poll(() => printed, { timeout: 80_000 }).toContain(ready)
      await expect.poll(() => hasPostmaster(dataDir), { timeout: 60_000 }).toBe(true)
      started = childOf(terminal.pid as number)
      expect(isRunning(started)).toBe(true)
    } finally {
      terminal.kill('SIGKILL')
    }
    // The file of the server also disappears between the steps of initdb, while the process still writes.
    await expect.poll(() => isRunning(started), { timeout: 60_000 }).toBe(false)
    await expect.poll(() => hasPostmaster(dataDir), { timeout: 60_000 }).toBe(false)
    await remove()
  },
)
