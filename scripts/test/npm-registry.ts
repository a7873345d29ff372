import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const KEPT = join(import.meta.dirname, '../../node_modules/.cache')

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
