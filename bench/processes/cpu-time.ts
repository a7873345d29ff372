import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100 // USER_HZ, the same on every Linux that Node runs on
const PAGE = 4096

/** Seconds of processor time that a process and its workers have used; NaN if the system does not report it. */
export function cpuSeconds(pid: number): number {
  return sum(withChildren(pid), (each) => {
    const fields = statOf(each)
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  })
}

/** Resident memory of a process and its workers in bytes. Shared memory counts for each process. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]))
  return sum(withChildren(pid), (each) => Number(statOf(each)[21]) * PAGE)
}

/** Seconds of processor time of a PostgreSQL server, its connections that have ended included. */
export function serverSeconds(postmaster: number): number {
  const ended = statOf(postmaster)
  return cpuSeconds(postmaster) + (Number(ended[13]) + Number(ended[14])) / TICKS_PER_SECOND
}

function withChildren(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    return [pid, ...children.split(' ').filter(Boolean).map(Number)]
  } catch {
    return [pid] // another system, or the process has ended
  }
}

const sum = (pids: readonly number[], of: (pid: number) => number) => pids.reduce((all, pid) => all + of(pid), 0)

/** The fields of /proc/PID/stat behind the name, which may contain spaces. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return [] // another system, or the process has ended
  }
}
