import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100 // USER_HZ, the same on every Linux that Node runs on
const PAGE = 4096

/** Seconds of processor time that a process has used so far; NaN where the system does not tell. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]))
  return Number(statOf(pid)[21]) * PAGE
}

/** The fields of /proc/PID/stat behind the name, which may contain spaces. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return [] // another system, or the process has ended
  }
}
