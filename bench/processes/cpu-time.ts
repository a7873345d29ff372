import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100 // USER_HZ, the same on every Linux that Node runs on
const KIBIBYTE = 1024

/** Seconds of processor time that a process and its workers have used; NaN if the system does not report it. */
export function cpuSeconds(pid: number): number {
  return sum(withChildren(pid), (each) => {
    const fields = statOf(each)
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  })
}

/**
 * Resident memory of a process and its workers in bytes. Pages of files, which are nearly all the code of Node, are in
 * memory once for all processes, so only those of the process that has most of them count.
 */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return KIBIBYTE * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]))
  const pids = withChildren(pid)
  const own = sum(pids, (each) => residentPart(each, 'RssAnon') + residentPart(each, 'RssShmem'))
  return own + Math.max(...pids.map((each) => residentPart(each, 'RssFile')))
}

function residentPart(pid: number, name: 'RssAnon' | 'RssFile' | 'RssShmem'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return KIBIBYTE * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0)
  } catch {
    return 0 // the process has ended
  }
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
