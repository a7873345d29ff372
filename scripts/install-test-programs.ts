// Before `npm test`: installs Debian's Chromium and nginx where that is possible and they are not there. Tests that need
// one that is missing are left out, and say so.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { findChromium } from '../server/test/browser/chromium.ts'
import { findNginx } from '../server/test/deploy/nginx.ts'

interface Program {
  name: string
  packages: string[]
  find: () => string | undefined
}

const chromium: Program = { name: 'Chromium', packages: ['chromium', 'fonts-liberation'], find: findChromium }
const nginx: Program = { name: 'nginx', packages: ['nginx'], find: findNginx }

if (isDebian() && process.getuid?.() === 0) {
  install(chromium)
  // Its package starts it on port 80, where there is somebody who starts services.
  if (!existsSync('/run/systemd/system')) install(nginx)
}

function install({ name, packages, find }: Program): void {
  if (find() !== undefined) return
  process.stderr.write(`Installing ${name} for the tests (once)…\n`)
  const attempt = () => apt('install', '--yes', '--no-install-recommends', ...packages)
  if (!attempt().done) apt('update')
  const { done, output } = find() === undefined ? attempt() : { done: true, output: '' }
  if (!done) process.stderr.write(`${output}\n${name} could not be installed; the tests that need it are left out.\n`)
}

function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
  } catch {
    return false
  }
}

function apt(...words: string[]): { done: boolean; output: string } {
  // Run level 1: packages that are installed start nothing.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const { status, stdout, stderr, error } = spawnSync('apt-get', ['--quiet=2', ...words], { encoding: 'utf8', env })
  return { done: status === 0, output: error ? `apt-get cannot be run (${error.message}).` : `${stdout}${stderr}` }
}
