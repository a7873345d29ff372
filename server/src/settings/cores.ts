import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/**
 * Cores that this process may use, rounded down, 1 at least: what is left over serves the first process. Node counts
 * affinity, cpusets and control groups of version 2; limits of control groups of version 1 it does not see.
 */
export const coresToUse = (): number =>
  Math.max(1, Math.floor(Math.min(availableParallelism(), limitByControlGroup(readIfThere))))

/**
 * The CPU limit of control groups of version 1: the least of the process's own group and those around it.
 * @param read answers a file's text, undefined when it is not there
 * @returns cores, such as 1.5; Infinity without a limit
 */
export function limitByControlGroup(read: (file: string) => string | undefined): number {
  const mount = mountOfCpu(read('/proc/self/mountinfo') ?? '')
  const group = groupOfCpu(read('/proc/self/cgroup') ?? '')
  if (!mount || group === undefined) return Infinity
  // In a container, what is mounted often is the container's own group, while the process is told its name outside.
  const names = inside(mount.root, group).split('/').filter(Boolean)
  const folders = names.reduceRight<string[]>(
    (all, _name, end) => [...all, `${mount.at}/${names.slice(0, end + 1).join('/')}`],
    [mount.at],
  )
  return Math.min(...folders.map((folder) => limitOf(folder, read)))
}

/** `36 32 0:31 /docker/4f /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:11 - cgroup cgroup rw,cpu,cpuacct`: proc(5). */
function mountOfCpu(mountinfo: string): { root: string; at: string } | undefined {
  for (const line of mountinfo.split('\n')) {
    const [, , , root, at] = line.split(' ')
    const [type, , options] = line.split(' - ')[1]?.split(' ') ?? []
    if (root && at && type === 'cgroup' && options?.split(',').includes('cpu')) return { root, at }
  }
  return undefined
}

/** `4:cpu,cpuacct:/docker/4f`: cgroups(7). */
function groupOfCpu(cgroup: string): string | undefined {
  for (const line of cgroup.split('\n')) {
    const [, controllers, ...path] = line.split(':')
    if (controllers?.split(',').includes('cpu')) return path.join(':')
  }
  return undefined
}

function inside(root: string, group: string): string {
  if (root === '/') return group
  return group.startsWith(`${root}/`) ? group.slice(root.length) : ''
}

function limitOf(folder: string, read: (file: string) => string | undefined): number {
  const quota = Number(read(`${folder}/cpu.cfs_quota_us`) ?? -1)
  const period = Number(read(`${folder}/cpu.cfs_period_us`) ?? 0)
  return quota > 0 && period > 0 ? quota / period : Infinity
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
