import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'

const canPin = cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0

/** What was done about cores, for the notes of a row. */
export const PINNING = canPin
  ? 'The server runs on one core, the load generator on another, PostgreSQL wherever the system puts it.'
  : 'Processes are not pinned to cores here.'

/** The command that runs another one on one core: servers on the first, load on the last. */
export function onCore(role: 'server' | 'load', command: string, args: readonly string[]): [string, string[]] {
  if (!canPin) return [command, [...args]]
  const core = role === 'server' ? 0 : cpus().length - 1
  return ['taskset', ['--cpu-list', String(core), command, ...args]]
}
