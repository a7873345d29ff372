import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { giveUp, readText, root, say } from './checkout.mjs'
import { connectionFailure } from './registry-connection.mjs'

const STAMP = join('node_modules', '.questboard-installed')
const REPORT_INTERVAL = 10_000

/**
 * Whether node_modules holds what package-lock.json says, for this kind of machine.
 * @param development whether packages that only tests and checks use count
 */
export function dependenciesAreInstalled(development) {
  const stamped = readText(STAMP)
  if (stamped === fingerprint(true) || (!development && stamped === fingerprint(false))) return true
  const complete = [true, false].find((all) => (all || !development) && installedByHand(all))
  if (complete === undefined) return false
  stamp(complete)
  return true
}

/** Installs exactly the locked versions. An interrupted run leaves no stamp, so the next run starts over. */
export async function installDependencies(development) {
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
  const stopReports = reportProgress(development)
  const [status] = await once(npm, 'close').catch((error) =>
    giveUp(`npm could not be started (${error.code}). It comes with Node: https://nodejs.org`),
  )
  stopReports()
  if (status !== 0) giveUp('The dependencies were not installed; npm says why above. Run the command again.')
  stamp(development)
}

/** npm is silent while it downloads. The first report without a new package says what is wrong with the connection. */
function reportProgress(development) {
  const paths = lockedPackages(development).map(([path]) => path)
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

function fingerprint(development) {
  return createHash('sha256')
    .update(readText('package-lock.json'))
    .update(`${process.platform} ${process.arch}${development ? '' : ' production'}`)
    .digest('hex')
}

/** On a checkout that cannot be written the comparison is made again each time. */
function stamp(development) {
  try {
    writeFileSync(join(root, STAMP), fingerprint(development))
  } catch (error) {
    if (error.code !== 'EROFS' && error.code !== 'EACCES') throw error
  }
}

/**
 * Someone ran `npm ci` or `npm install`: npm keeps a list of the packages that it put there when it was done. Commands
 * that change only the lockfile write that list too, so each package is looked at.
 */
function installedByHand(development) {
  const list = readText('node_modules', '.package-lock.json')
  if (list === undefined) return false
  const installed = JSON.parse(list).packages
  return lockedPackages(development).every(([path, { version, link }]) =>
    link
      ? versionIn(path) !== undefined
      : installed[path]?.version === version && (!version || versionIn(path) === version),
  )
}

/** What npm installs on this kind of machine. */
function lockedPackages(development) {
  return Object.entries(JSON.parse(readText('package-lock.json')).packages).filter(
    ([path, entry]) => path.startsWith('node_modules/') && (development || !entry.dev) && !isForOtherMachines(entry),
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
