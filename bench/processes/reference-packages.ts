import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const REFERENCES = join(import.meta.dirname, '..', 'references')

/** Installs the GraphQL servers that row S4 compares with. @throws when npm fails */
export function installPeers(say: (line: string) => void): void {
  installPackages('peers', 'the GraphQL servers to compare with (once, 350 MB)', say)
}

/** Installs the client of Redis that row S13 uses. @throws when npm fails */
export function installRedisClient(say: (line: string) => void): void {
  installPackages('redis', 'the client of Redis (once, 16 MB)', say)
}

/** Once, and when the lock file has changed. */
function installPackages(name: string, what: string, say: (line: string) => void): void {
  const folder = join(REFERENCES, name)
  const lock = join(folder, 'package-lock.json')
  const installed = join(folder, 'node_modules', '.installed-lock.json')
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return
  say(`installing ${what} …`)
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error(`npm could not install what ${folder}/package.json names`)
  copyFileSync(lock, installed)
}
