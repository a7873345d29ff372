import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'

const GIGABYTE = 2 ** 30

/** What the figures were measured on. */
export function machine(): string {
  const [first] = cpus()
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / GIGABYTE)} GB, ${process.platform}-${process.arch}, Node ${process.version}`
}

/** How busy the machine is with whatever it does: runnable processes, over one minute. */
export function load(): number {
  return loadavg()[0] ?? NaN
}

/** The commit that was measured; marked when files differ from it. */
export function commit(folder: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no').trim() !== ''
    return `${git('rev-parse', '--short=10', 'HEAD').trim()}${changed ? ' with changes' : ''}`
  } catch {
    return 'an unknown commit' // not a checkout, or no git
  }
}
