import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const run = promisify(execFile)
const LAUNCHER = join(import.meta.dirname, '../../bin/questboard')
const folder = mkdtempSync(join(tmpdir(), 'questboard launcher '))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('runs from another folder through a chain of links, without a Node in PATH', async () => {
  mkdirSync(join(folder, 'links'))
  symlinkSync(LAUNCHER, join(folder, 'links', 'first'))
  symlinkSync('links/first', join(folder, 'questboard'))
  const { stdout } = await run(join(folder, 'questboard'), ['--version'], {
    cwd: folder,
    env: { PATH: '/nowhere:/usr/bin:/bin' },
  })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it('prints how to install a checkout without dependencies', async () => {
  const launcher = join(folder, 'check out', 'bin', 'questboard')
  mkdirSync(dirname(launcher), { recursive: true })
  cpSync(LAUNCHER, launcher)
  const failure = await run(launcher, ['--version']).then(
    () => undefined,
    (error: { code: number; stderr: string }) => error,
  )
  expect(failure?.code).toBe(1)
  expect(failure?.stderr).toMatch(
    /^Questboard is not installed yet\. Run first: npm run build --prefix '.*check out'\n$/,
  )
})
