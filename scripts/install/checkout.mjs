import { readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout, wherever the command was called. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Progress goes to standard error: standard output belongs to what was asked for. */
export function say(line) {
  process.stderr.write(`${line}\n`)
}

/** Says why it cannot go on and what to do, without a stack trace. */
export function giveUp(line) {
  say(line)
  process.exit(1)
}

export function readText(...path) {
  try {
    return readFileSync(join(root, ...path), 'utf8')
  } catch {
    return undefined
  }
}

/** Two commands started at once in one checkout (start and test, say) must not install over each other. */
export async function withLock(work) {
  const lock = join(root, '.questboard-installing')
  for (let told = false; !take(lock); told = true) {
    if (!told) say('Another command is preparing this checkout; waiting for it…')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  await work()
  process.off('exit', release)
  release()
}

/** The lock is a symbolic link to the number of its process: made, and readable, in one step. */
function take(lock) {
  try {
    symlinkSync(String(process.pid), lock)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST')
      giveUp(`This checkout has to be prepared, but ${root} cannot be written (${error.code}).`)
  }
  if (!ownerLives(lock)) rmSync(lock, { force: true })
  return false
}

/** An interrupted command leaves its lock behind. */
function ownerLives(lock) {
  try {
    process.kill(Number(readlinkSync(lock)), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM' || error.code === 'ENOENT' // another user's process; or just released
  }
}
