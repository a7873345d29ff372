// Installs the locked dependencies when they are missing or out of date; does nothing otherwise.
// Runs on the machine's own Node, however old: the project's Node comes with the dependencies.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const stamp = 'node_modules/.questboard-installed'
const wanted = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex')

if (read(stamp) !== wanted) {
  process.stderr.write('Installing dependencies (once)…\n')
  const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) process.exit(npm.status ?? 1)
  writeFileSync(stamp, wanted)
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
