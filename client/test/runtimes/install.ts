import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lockedPackages } from '../../../scripts/test/npm-registry.ts'

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
const packages = lockedPackages('runtimes', import.meta.dirname)

/** Why the runtimes cannot be installed, or undefined. */
export async function installationFailure(): Promise<string | undefined> {
  return programs === undefined ? `there are no packages of them for ${platform}` : await packages.failure()
}

/** Installs the runtimes of the lockfile, about 200 MB. */
export const installRuntimes = (): Promise<void> =>
  // npm omits an optional package without an error if it cannot be downloaded or has another hash.
  packages.install('Installing Node 20 and 22, Deno and Bun for the tests of the client (once)…', (modules) =>
    Object.entries(programs ?? {}).flatMap(([runtime, path]) => (existsSync(join(modules, path)) ? [] : [runtime])),
  )

/** The path of an installed runtime. */
export const programOf = (runtime: Runtime) => join(packages.modules, programs?.[runtime] ?? '')
