import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { giveUp, root } from './checkout.mjs'

const OLDEST = 24

/** The Node that the project runs on: the one among the dependencies, else the machine's own when it is new enough. */
export function projectNode() {
  if (isNewEnough(process.version)) return process.execPath
  const own = join(root, 'node_modules', '.bin', 'node')
  const { stdout, stderr, error } = spawnSync(own, ['--version'], { encoding: 'utf8' })
  if (isNewEnough(stdout ?? '')) return own
  giveUp(
    `Questboard needs Node ${OLDEST} or later. This machine has ${process.version}, and the one that comes with the ` +
      `dependencies does not run on ${process.platform}-${process.arch} (${error?.code ?? stderr.trim()}). ` +
      `Install Node ${OLDEST}: https://nodejs.org`,
  )
}

function isNewEnough(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0) >= OLDEST
}
