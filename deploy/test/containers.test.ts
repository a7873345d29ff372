import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MINUTE } from '../../server/src/clock.ts'
import { findMissing } from './container-programs.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const isRoot = process.getuid?.() === 0
const missing = findMissing()
const reason = isRoot ? `Not installed: ${missing.join(', ')}.` : 'Containers need root.'
const canRun = isRoot && missing.length === 0
if (!canRun)
  process.stderr.write(
    `The image is not built and compose.yaml does not run. ${reason} npm run test:deploy runs them.\n`,
  )

it('builds the image and runs compose.yaml', { timeout: 40 * MINUTE }, async ({ skip }) => {
  skip(!canRun, reason)
  const isOnline = await fetch('http://deb.debian.org/debian/', { method: 'HEAD' }).catch(() => undefined)
  skip(!isOnline, "Debian's packages cannot be downloaded here.")
  // Two runs on one machine would use the same network.
  const child = spawn('flock', ['/tmp/questboard-deploy.lock', process.execPath, 'scripts/try-deployment.ts'], {
    cwd: CHECKOUT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number]
  expect(status, output).toBe(0)
})
