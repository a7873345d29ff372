import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MAIN, processEnvironment, temporaryDataDir } from '../support/process.ts'

/** Of the embedded PostgreSQL: it is there while the server runs. */
const hasPostmaster = (folder: string) =>
  readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('postmaster.pid'))

it.skipIf(!existsSync('/usr/bin/script')).each(['1', '2'])(
  'stops the embedded PostgreSQL when its terminal is closed (WORKERS=%s)',
  async (workers) => {
    const { dataDir, remove } = await temporaryDataDir()
    const settings = { WORKERS: workers, QUESTBOARD_DEMO: 'false', QUESTBOARD_LOG_LEVEL: 'info' }
    const command = `exec '${process.execPath}' '${MAIN}'`
    const terminal = spawn('/usr/bin/script', ['--quiet', '--command', command, '/dev/null'], {
      env: { ...processEnvironment(dataDir, settings), SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    let printed = ''
    terminal.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    try {
      await expect.poll(() => printed, { timeout: 80_000 }).toContain('Questboard is ready')
      expect(hasPostmaster(dataDir)).toBe(true)
    } finally {
      terminal.kill('SIGKILL')
    }
    await expect.poll(() => hasPostmaster(dataDir), { timeout: 60_000 }).toBe(false)
    await remove()
  },
)
