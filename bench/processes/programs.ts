import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { canInstall, install, type Program } from '../../scripts/debian-packages.ts'

const POSTGRESQL = '/usr/lib/postgresql'

/** Debian installs it with each version of the server; the command in PATH is only a wrapper that finds those. */
const pgbench: Program = {
  name: 'pgbench',
  packages: ['postgresql'],
  find: () => [...ofEachVersion('pgbench'), 'pgbench'].find(runs),
}

const redisServer: Program = {
  name: 'redis-server',
  packages: ['redis-server'],
  find: () => ['redis-server'].find((path) => runs(path) && runs('redis-cli')),
}

/** @returns how to call it @throws with what to install, when it is not there and cannot be installed */
export const needPgbench = (): string => need(pgbench)
export const needRedisServer = (): string => need(redisServer)

function need(program: Program): string {
  const { name, packages, find } = program
  // With systemd, these packages would also start a server, which is not wanted.
  const may = canInstall() && !existsSync('/run/systemd/system')
  const failure = may ? install(program, 'to compare with') : undefined
  const found = find()
  if (found !== undefined) return found
  throw new Error(
    `${failure === undefined ? '' : `${failure}\n`}this row needs ${name}; on Debian: apt-get install --no-install-recommends ${packages.join(' ')}`,
  )
}

/** Newest first. */
function ofEachVersion(name: string): string[] {
  if (!existsSync(POSTGRESQL)) return []
  const versions = readdirSync(POSTGRESQL).toSorted((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(POSTGRESQL, version, 'bin', name))
}

function runs(path: string): boolean {
  return spawnSync(path, ['--version']).status === 0
}

/** What the program says that it is: "pgbench (PostgreSQL) 15.19". */
export function versionOf(path: string): string {
  return spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.trim()
}
