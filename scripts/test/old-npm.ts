import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { keepFolder, keptFolder, npm, registryFailure } from './npm-registry.ts'

const run = promisify(execFile)
const CHECKOUT = join(import.meta.dirname, '../..')
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

/** Why old versions cannot be installed, or undefined. */
export const installationFailure = async () =>
  ownNodePackage === undefined
    ? `there is no package of Node for ${process.platform}-${process.arch}`
    : await registryFailure()

/** Installs one package from the registry and keeps it for the next run. Returns its folder. */
async function fromRegistry(specifier: string): Promise<string> {
  const folder = keptFolder('old-npm', specifier)
  await keepFolder(folder, (unfinished) => npm(unfinished, 'install', specifier))
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
