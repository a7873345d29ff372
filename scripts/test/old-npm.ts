import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CHECKOUT = join(import.meta.dirname, '../..')
const KEPT = join(CHECKOUT, 'node_modules', '.cache', 'old-npm')
const NPM = join('node_modules', 'npm', 'bin', 'npm-cli.js')

interface Manifest {
  scripts: Record<string, string>
  optionalDependencies: Record<string, string>
}

const manifest = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as Manifest

/** The package of Node for a platform, as in package.json. */
function nodePackage(platform: string): string | undefined {
  return Object.keys(manifest.optionalDependencies).find((name) => name.endsWith(`-${platform}`))
}

const ownNodePackage = nodePackage(`${process.platform}-${process.arch}`)

/** Why the registry cannot be used, or undefined. */
export async function registryFailure(): Promise<string | undefined> {
  if (ownNodePackage === undefined) return `there is no package of Node for ${process.platform}-${process.arch}`
  try {
    await run('npm', ['view', 'npm', 'version', '--fetch-retries=0', '--fetch-timeout=10000'], { timeout: 30_000 })
    return undefined
  } catch {
    return 'the npm registry cannot be reached'
  }
}

/** Installs one package from the registry and keeps it for the next run. Returns its folder. */
async function fromRegistry(specifier: string): Promise<string> {
  const folder = join(KEPT, specifier)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  await run('npm', ['install', '--prefix', unfinished, '--ignore-scripts', '--no-audit', '--no-fund', specifier])
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
  return folder
}

export const npmOf = async (version: string) => join(await fromRegistry(`npm@${version}`), NPM)
export const nodeOf = async (version: string) =>
  join(await fromRegistry(`${ownNodePackage}@${version}`), 'node_modules', String(ownNodePackage), 'bin', 'node')

export interface Clone {
  path: string
  /** Runs npm with the given Node and npm first in PATH. Returns both streams. */
  npm(...words: string[]): Promise<string>
  remove(): void
}

/**
 * The scripts of this checkout with only its packages of Node, as tarballs that contain a script that runs this Node.
 * The service is one line of TypeScript, which an old Node cannot run.
 */
export async function cloneWith(node: string, npmCli: string): Promise<Clone> {
  const place = mkdtempSync(join(tmpdir(), 'questboard old npm '))
  const path = join(place, 'clone')
  cpSync(join(CHECKOUT, 'scripts'), join(path, 'scripts'), { recursive: true })
  for (const folder of ['client/src', 'web', 'manual', 'server/src', 'packages', 'bin'])
    mkdirSync(join(folder === 'bin' ? place : path, folder), { recursive: true })
  writeFileSync(join(path, 'server/src/main.ts'), 'console.log(`started by ${process.version}` satisfies string)\n')
  const optionalDependencies: Record<string, string> = {}
  for (const name of Object.keys(manifest.optionalDependencies)) {
    await pack(name, join(path, 'packages'))
    optionalDependencies[name] = `file:packages/${name}.tgz`
  }
  const { scripts } = manifest
  writeFileSync(join(path, 'package.json'), JSON.stringify({ type: 'module', scripts, optionalDependencies }))

  writeFileSync(join(place, 'bin', 'node'), `#!/bin/sh\nexec '${node}' "$@"\n`, { mode: 0o755 })
  writeFileSync(join(place, 'bin', 'npm'), `#!/bin/sh\nexec '${node}' '${npmCli}' "$@"\n`, { mode: 0o755 })
  const env = {
    PATH: [join(place, 'bin'), '/usr/bin', '/bin'].join(delimiter),
    HOME: place,
    npm_config_offline: 'true',
  }
  await run('npm', ['install', '--package-lock-only', '--offline', '--no-audit'], { cwd: path })
  return {
    path,
    npm: async (...words) => {
      const { stdout, stderr } = await run('npm', words, { cwd: path, env })
      return stdout + stderr
    },
    remove: () => rmSync(place, { recursive: true, force: true }),
  }
}

async function pack(name: string, folder: string): Promise<void> {
  const [os, cpu] = name.split('-').slice(-2)
  const content = join(folder, 'package')
  mkdirSync(join(content, 'bin'), { recursive: true })
  writeFileSync(
    join(content, 'package.json'),
    JSON.stringify({ name, version: '24.0.0', os, cpu, bin: { node: 'bin/node' } }),
  )
  writeFileSync(join(content, 'bin', 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  await run('tar', ['czf', join(folder, `${name}.tgz`), '-C', folder, 'package'])
  rmSync(content, { recursive: true })
}
