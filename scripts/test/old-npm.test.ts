import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MINUTE } from '../../server/src/clock.ts'
import { type Clone, cloneWith, installationFailure, nodeOf, npmOf } from './old-npm.ts'

/** About 150 MB, once for each checkout. */
const DOWNLOAD_TIMEOUT = 10 * MINUTE
const failure = await installationFailure()
if (failure !== undefined) process.stderr.write(`Old npm versions are not tested: ${failure}.\n`)

// The oldest version of the README, the last ones of Node 18 and 20, and the current one.
const PAIRS = [
  { npm: '8.6.0', node: '18.0.0' },
  { npm: '9.9.4', node: '18.0.0' },
  { npm: '10.8.2', node: '20.20.2' },
  { npm: '10.9.9', node: '20.20.2' },
  { npm: '11', node: '20.20.2' },
]

describe.skipIf(failure !== undefined)('a clone with a Node that is too old', () => {
  let node18: string
  let clone: Clone | undefined
  beforeAll(async () => {
    for (const { npm, node } of PAIRS) {
      await npmOf(npm)
      await nodeOf(node)
    }
    node18 = await nodeOf('18.0.0')
  }, DOWNLOAD_TIMEOUT)
  afterEach(() => clone?.remove())

  it.each(PAIRS)('starts with Node $node and npm $npm', async ({ npm, node }) => {
    clone = await cloneWith(await nodeOf(node), await npmOf(npm))
    expect(await clone.npm('start')).toContain(`started by ${process.version}`)
    expect(await clone.npm('exec', '--offline', '--', 'node', '--version')).toContain(process.version)
  })

  it('repairs an installation without the link to the project’s Node', async () => {
    clone = await cloneWith(node18, await npmOf('8.6.0'))
    await clone.npm('start')
    rmSync(join(clone.path, 'node_modules', '.bin', 'node'))
    const printed = await clone.npm('start')
    expect(printed).toContain(`started by ${process.version}`)
    expect(printed).not.toContain('Installing dependencies')
    expect(await clone.npm('exec', '--', 'node', '--version')).toContain(process.version)
  })

  it('finds the project’s Node without the link', async () => {
    clone = await cloneWith(node18, await npmOf('8.6.0'))
    await clone.npm('ci', '--ignore-scripts')
    expect(await clone.npm('start', '--ignore-scripts')).toContain(`started by ${process.version}`)
  })
})
