import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'

// Runs one check per core; prints the output of a check when it ends.
const CHECKS = [
  // The types of the whole repository take more than the 4 GB that Node allows by itself.
  'node --max-old-space-size=6144 node_modules/eslint/bin/eslint.js --cache --cache-location node_modules/.cache/eslint/ --max-warnings=0 .',
  'prettier --check --log-level=warn .',
  'tsc',
  'tsc -p web',
  'tsc -p manual',
  'tsc -p client',
  'tsc -p examples',
  'node scripts/check-prose.ts',
]

const root = join(import.meta.dirname, '..')
const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}` }
const waiting = [...CHECKS]
const failed: string[] = []

async function work(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const running = spawn(check, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const said: Buffer[] = []
    for (const stream of [running.stdout, running.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk))
    const [status] = (await once(running, 'close')) as [number | null]
    process.stdout.write(Buffer.concat(said))
    if (status !== 0) failed.push(check)
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work))
for (const check of failed) console.error(`failed: ${check}`)
if (failed.length > 0) process.exitCode = 1
