import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { buildOnlyPackages, removeBuildTools } from './build-tools.mjs'
import { giveUp, readText, root, say } from './checkout.mjs'
import { connectionFailure } from './registry-connection.mjs'

const STAMP = join('node_modules', '.questboard-installed')
const REPORT_INTERVAL = 10_000

/**
 * The purpose of an installation; each includes the purposes before it. `service`: to run the service. `build`: also to build the
 * pages and the manual. `development`: also for tests and checks.
 */
const LEVELS = ['service', 'build', 'development']

/** Whether node_modules contains what package-lock.json says for this level and this kind of machine. */
export function dependenciesAreInstalled(level) {
  const sufficient = LEVELS.slice(LEVELS.indexOf(level))
  const stamped = readText(STAMP)
  if (sufficient.some((each) => stamped === fingerprint(each))) return true
  const complete = sufficient.reverse().find(installedByHand)
  if (complete === undefined) return false
  stamp(complete)
  return true
}

/**
 * Installs exactly the locked versions. An interrupted run leaves no stamp, so the next run starts over.
 * @returns whether it succeeded. If it failed, an installation that runs the service is as before
 */
export async function installDependencies(level) {
  const modules = join(root, 'node_modules')
  const before = join(root, '.questboard-modules')
  rmSync(before, { recursive: true, force: true })
  const worked = dependenciesAreInstalled('service')
  if (worked) renameSync(modules, before)
  const installed = await runNpm(level)
  if (installed) {
    if (level === 'service') removeBuildTools()
    stamp(level)
  } else if (worked) {
    rmSync(modules, { recursive: true, force: true })
    renameSync(before, modules)
  }
  rmSync(before, { recursive: true, force: true })
  return installed
}

/** Removes what only the builds need, unless it was installed for development. */
export function keepService() {
  if (readText(STAMP) !== fingerprint('build')) return
  rmSync(join(root, STAMP), { force: true })
  removeBuildTools()
  stamp('service')
}

async function runNpm(level) {
  const development = level === 'development'
  say(`Installing ${development ? 'dependencies and development tools' : 'dependencies'} (once; about a minute)…`)
  const npm = spawn(
    'npm',
    [
      'ci',
      development ? '--include=dev' : '--omit=dev',
      '--include=optional',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, PATH: pathOfMachine() } },
  )
  const stopReports = reportProgress(level)
  const [status] = await once(npm, 'close').catch((error) => {
    say(`npm could not be started (${error.code}). It comes with Node: https://nodejs.org`)
    return [1]
  })
  stopReports()
  return status === 0
}

/** npm is silent while it downloads. The first report without a new package says what is wrong with the connection. */
function reportProgress(level) {
  const paths = lockedPackages(level).map(([path]) => path)
  const begin = Date.now()
  let before = 0
  let checked = false
  const timer = setInterval(async () => {
    const installed = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
    const stalled = installed === before
    before = installed
    say(`  ${Math.round((Date.now() - begin) / 1000)} s: ${installed} of ${paths.length} packages`)
    if (!stalled || checked) return
    checked = true
    say(
      `  ${(await connectionFailure()) ?? 'No package arrived in the last 10 s: the network or the registry is slow.'}`,
    )
  }, REPORT_INTERVAL)
  return () => clearInterval(timer)
}

function fingerprint(level) {
  return createHash('sha256')
    .update(readText('package-lock.json'))
    .update(
      `${process.platform} ${process.arch}${{ service: ' service', build: ' production', development: '' }[level]}`,
    )
    .digest('hex')
}

/** On a checkout that cannot be written the comparison is made again each time. */
function stamp(level) {
  try {
    writeFileSync(join(root, STAMP), fingerprint(level))
  } catch (error) {
    if (error.code !== 'EROFS' && error.code !== 'EACCES') throw error
  }
}

/**
 * Someone ran `npm ci` or `npm install`: npm keeps a list of the packages that it put there when it was done. Commands
 * that change only the lockfile write that list too, so each package is looked at.
 */
function installedByHand(level) {
  const list = readText('node_modules', '.package-lock.json')
  if (list === undefined) return false
  const installed = JSON.parse(list).packages
  return lockedPackages(level).every(([path, { version, link }]) =>
    link
      ? versionIn(path) !== undefined
      : installed[path]?.version === version && (!version || versionIn(path) === version),
  )
}

/** What a level contains on this kind of machine. */
function lockedPackages(level) {
  const removed = new Set(level === 'service' ? buildOnlyPackages() : [])
  return Object.entries(JSON.parse(readText('package-lock.json')).packages).filter(
    ([path, entry]) =>
      path.startsWith('node_modules/') &&
      (level === 'development' || !entry.dev) &&
      !removed.has(path) &&
      !isForOtherMachines(entry),
  )
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
