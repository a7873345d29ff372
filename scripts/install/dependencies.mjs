import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { giveUp, readText, root, say } from './checkout.mjs'

const STAMP = join('node_modules', '.questboard-installed')

/** Whether node_modules holds what package-lock.json says, for this kind of machine. */
export function dependenciesAreInstalled() {
  if (readText(STAMP) === fingerprint()) return true
  if (!installedByHand()) return false
  stamp()
  return true
}

/** Installs exactly what is locked. An interrupted run leaves no stamp, so that the next one begins anew. */
export function installDependencies() {
  say('Installing dependencies (once; about a minute)…')
  const npm = spawnSync(
    'npm',
    ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, PATH: pathOfMachine() } },
  )
  if (npm.error) giveUp(`npm could not be started (${npm.error.code}). It comes with Node: https://nodejs.org`)
  if (npm.status !== 0) giveUp('The dependencies were not installed; npm says why above. Run the command again.')
  stamp()
}

function fingerprint() {
  return createHash('sha256')
    .update(readText('package-lock.json'))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
}

/** On a checkout that cannot be written the comparison is made again each time. */
function stamp() {
  try {
    writeFileSync(join(root, STAMP), fingerprint())
  } catch (error) {
    if (error.code !== 'EROFS' && error.code !== 'EACCES') throw error
  }
}

/**
 * Someone ran `npm ci` or `npm install`: npm keeps a list of the packages that it put there when it was done. Commands
 * that change only the lockfile write that list too, so each package is looked at.
 */
function installedByHand() {
  const list = readText('node_modules', '.package-lock.json')
  if (list === undefined) return false
  const installed = JSON.parse(list).packages
  return Object.entries(JSON.parse(readText('package-lock.json')).packages)
    .filter(([path, wanted]) => path.startsWith('node_modules/') && !isForOtherMachines(wanted))
    .every(([path, { version }]) => installed[path]?.version === version && (!version || versionIn(path) === version))
}

function versionIn(path) {
  const description = readText(path, 'package.json')
  return description === undefined ? undefined : JSON.parse(description).version
}

/** Optional packages are binaries for one kind of machine, and what such binaries need. */
function isForOtherMachines({ optional, devOptional, os, cpu, libc }) {
  if (!optional && !devOptional) return false
  if (os === undefined && cpu === undefined) return true
  return (
    os?.includes(process.platform) === false || cpu?.includes(process.arch) === false || libc?.includes('musl') === true
  )
}

/** npm empties node_modules while it runs, so it must not run on the Node in there. */
function pathOfMachine() {
  const own = join(root, 'node_modules', '.bin')
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== own)
    .join(delimiter)
}
