import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepFolder, keptFolder, npm, registryFailure } from '../../../scripts/test/npm-registry.ts'

const LOCKFILE = join(import.meta.dirname, 'package-lock.json')
const MODULES = 'node_modules'

/**
 * Programs that run the packed client, with their paths among the packages of package.json. Node 20 is the oldest that the client
 * supports, or the next one that has a package.
 */
const PROGRAMS: Partial<Record<string, Record<Runtime, string>>> = {
  'linux-x64': {
    'Node 20': 'node-20-linux-x64/bin/node',
    'Node 22': 'node-22-linux-x64/bin/node',
    Deno: '@deno/linux-x64-glibc/deno',
    Bun: '@oven/bun-linux-x64-baseline/bin/bun',
  },
  'linux-arm64': {
    'Node 20': 'node-20-linux-arm64/bin/node',
    'Node 22': 'node-22-linux-arm64/bin/node',
    Deno: '@deno/linux-arm64-glibc/deno',
    Bun: '@oven/bun-linux-aarch64/bin/bun',
  },
}

export type Runtime = 'Node 20' | 'Node 22' | 'Deno' | 'Bun'

/** The packages of Deno and Bun need glibc. */
const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
const platform = `${process.platform}-${process.arch}${header.glibcVersionRuntime === undefined ? ' without glibc' : ''}`
const programs = PROGRAMS[platform]
// Other versions get another folder.
const versions = createHash('sha256').update(readFileSync(LOCKFILE)).digest('hex').slice(0, 16)
const folder = keptFolder('runtimes', versions)

/** Why the runtimes cannot be installed, or undefined. */
export async function installationFailure(): Promise<string | undefined> {
  if (programs === undefined) return `there are no packages of them for ${platform}`
  return existsSync(folder) ? undefined : await registryFailure()
}

/** Installs the runtimes of the lockfile, about 200 MB, and keeps them for the next run. npm checks their hashes. */
export async function installRuntimes(): Promise<void> {
  await keepFolder(folder, async (unfinished) => {
    process.stderr.write('Installing Node 20 and 22, Deno and Bun for the tests of the client (once)…\n')
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(import.meta.dirname, name), join(unfinished, name))
    await npm(unfinished, 'ci', '--include=optional')
    // npm omits an optional package without an error if it cannot be downloaded or has another hash.
    const missing = Object.entries(programs ?? {}).filter(([, path]) => !existsSync(join(unfinished, MODULES, path)))
    if (missing.length > 0) throw new Error(`npm has not installed ${missing.map(([runtime]) => runtime).join(', ')}`)
  })
}

/** The path of an installed runtime. */
export const programOf = (runtime: Runtime) => join(folder, MODULES, programs?.[runtime] ?? '')
