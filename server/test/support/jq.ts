import { spawnSync } from 'node:child_process'

/** The program `jq`, if it is in the path. */
export function findJq(): string | undefined {
  return spawnSync('jq', ['--version']).status === 0 ? 'jq' : undefined
}
