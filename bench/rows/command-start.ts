import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'
import { noServer } from '../processes/server-versions.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const STARTS = 10
const OPTIONS = ['--version', '--help']

/** Starts the command several times. The second line of `times` is the processor time of the children of the shell. */
const SCRIPT = `i=0; while [ $i -lt ${STARTS} ]; do bin/questboard "$0" >/dev/null || exit; i=$((i + 1)); done; times`

export const row: Row = {
  name: 'S22',
  title: 'the start of a command',
  measures: OPTIONS.map((option) => ({ title: `seconds of processor time: ${option}`, bound: '<=', limit: 0.3 })),
  ownServer: noServer,
  run({ rounds }) {
    const seconds = OPTIONS.map(() => [] as number[])
    for (const option of OPTIONS) secondsOf(option) // Node compiles its code, and the files are read from the disk.
    for (let round = 0; round < rounds; round++)
      for (const [i, option] of OPTIONS.entries()) seconds[i]?.push(secondsOf(option))
    return Promise.resolve({
      values: seconds.map(median),
      figures: OPTIONS.map((option, i) => ({ side: `bin/questboard ${option}`, unit: 's', rounds: seconds[i] ?? [] })),
      notes: [
        `User and system time of the shell script and Node, of one start; each round is the mean of ${STARTS} starts. It does not include the time in which the process waits for a processor.`,
      ],
    })
  },
}

function secondsOf(option: string): number {
  const times = execFileSync('sh', ['-c', SCRIPT, option], { cwd: ROOT, encoding: 'utf8' })
  const [, user = '', system = ''] = /\n(\S+) (\S+)\n$/.exec(times) ?? []
  return (inSeconds(user) + inSeconds(system)) / STARTS
}

/** Reads a time such as 0m1.250s. */
function inSeconds(time: string): number {
  const [, minutes = NaN, seconds = NaN] = /^(\d+)m([\d.]+)s$/.exec(time) ?? []
  return Number(minutes) * 60 + Number(seconds)
}
