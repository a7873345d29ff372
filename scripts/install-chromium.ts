// Before `npm test`: installs Debian's Chromium when this is a machine where that is possible and no browser is there.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findChromium } from '../server/test/browser/chromium.ts'

const PACKAGES = ['chromium', 'fonts-liberation']

if (findChromium() === undefined && isDebian() && process.getuid?.() === 0) {
  process.stderr.write('Installing Chromium for the browser tests (once)…\n')
  const install = () => apt('install', '--yes', '--no-install-recommends', ...PACKAGES)
  if (!install().done) apt('update')
  const { done, output } = findChromium() === undefined ? install() : { done: true, output: '' }
  if (!done) process.stderr.write(`${output}\nChromium could not be installed.\n`)
}

function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'))
  } catch {
    return false
  }
}

function apt(...words: string[]): { done: boolean; output: string } {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { status, stdout, stderr } = spawnSync('apt-get', ['--quiet=2', ...words], { encoding: 'utf8', env })
  return { done: status === 0, output: `${stdout}${stderr}` }
}
