import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '..', 'references', 'peers')
const LOCK = join(FOLDER, 'package-lock.json')
const INSTALLED = join(FOLDER, 'node_modules', '.installed-lock.json')

/** Installs the GraphQL servers that row S4 compares with, once and when their lock file has changed. @throws when npm fails */
export function installPeers(say: (line: string) => void): void {
  if (existsSync(INSTALLED) && readFileSync(INSTALLED).equals(readFileSync(LOCK))) return
  say('installing the GraphQL servers to compare with (once, 350 MB) …')
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error(`npm could not install what ${FOLDER}/package.json names`)
  copyFileSync(LOCK, INSTALLED)
}
