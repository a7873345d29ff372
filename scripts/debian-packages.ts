import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A program that comes in packages of Debian. */
export interface Program {
  name: string
  packages: string[]
  /** Where it is; undefined when it is not installed. */
  find: () => string | undefined
}

/** Whether packages can be installed here: Debian, and root. */
export function canInstall(): boolean {
  return isDebian() && process.getuid?.() === 0
}

/**
 * Installs a program that is not there; nothing it brings is started.
 * @param purpose what is said before: "for the tests"
 * @returns why it could not be installed; undefined when it is there
 */
export function install({ name, packages, find }: Program, purpose: string): string | undefined {
  if (find() !== undefined) return undefined
  process.stderr.write(`Installing ${name} ${purpose} (once)…\n`)
  const attempt = () => apt('install', '--yes', '--no-install-recommends', ...packages)
  if (!attempt().done) apt('update')
  const { done, output } = find() === undefined ? attempt() : { done: true, output: '' }
  return done ? undefined : output
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
