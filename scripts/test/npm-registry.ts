import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Without links: behind a link, npm takes the folder for another package than the one of the lockfile. */
const KEPT = join(realpathSync(join(import.meta.dirname, '../../node_modules')), '.cache')

/** Why the registry cannot be used, or undefined. */
export async function registryFailure(): Promise<string | undefined> {
  try {
    await run('npm', ['view', 'npm', 'version', '--fetch-retries=0', '--fetch-timeout=10000'], { timeout: 30_000 })
    return undefined
  } catch {
    return 'the npm registry cannot be reached'
  }
}

/** The folder of packages that tests keep for the next run. */
export const keptFolder = (...path: string[]) => join(KEPT, ...path)

const LOCKFILE = 'package-lock.json'

/** Packages of a lockfile, which tests keep for the next run. */
export interface LockedPackages {
  /** The folder of the installed packages. */
  modules: string
  /** Why the packages cannot be installed, or undefined. */
  failure: () => Promise<string | undefined>
  /** Installs the packages once. npm checks their hashes. @throws if `missing` names a package that was not installed */
  install: (announcement: string, missing?: (modules: string) => string[]) => Promise<void>
}

/** @param source a folder with package.json and a lockfile */
export function lockedPackages(name: string, source: string): LockedPackages {
  // Other versions get another folder.
  const versions = createHash('sha256')
    .update(readFileSync(join(source, LOCKFILE)))
    .digest('hex')
    .slice(0, 16)
  const folder = keptFolder(name, versions)
  const modulesOf = (root: string) => join(root, 'node_modules')
  return {
    modules: modulesOf(folder),
    failure: async () => (existsSync(folder) ? undefined : await registryFailure()),
    install: (announcement, missing = () => []) =>
      keepFolder(folder, async (unfinished) => {
        process.stderr.write(`${announcement}\n`)
        for (const file of ['package.json', LOCKFILE]) copyFileSync(join(source, file), join(unfinished, file))
        await npm(unfinished, 'ci', '--include=optional')
        const left = missing(modulesOf(unfinished))
        if (left.length > 0) throw new Error(`npm has not installed ${left.join(', ')}`)
      }),
  }
}

/** Makes a kept folder, unless an earlier run has made it. A failed or interrupted run leaves no such folder. */
export async function keepFolder(folder: string, make: (unfinished: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    await make(unfinished)
    rmSync(folder, { recursive: true, force: true })
    renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Installs packages into a folder without running their scripts. */
export async function npm(folder: string, ...words: string[]): Promise<void> {
  await run('npm', [...words, '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'])
}
