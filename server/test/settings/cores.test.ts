import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { limitByControlGroup } from '../../src/settings/cores.ts'

const CORES = join(import.meta.dirname, '../../src/settings/cores.ts')

/** A mount as systemd makes it on a host of version 1. */
const mount = (root: string, at = '/sys/fs/cgroup/cpu,cpuacct') =>
  `23 19 0:21 / /sys/fs/cgroup ro,nosuid,nodev,noexec - tmpfs tmpfs ro,mode=755
30 23 0:26 / /sys/fs/cgroup/memory rw,nosuid,relatime shared:10 - cgroup cgroup rw,memory
33 23 0:29 ${root} ${at} rw,nosuid,relatime shared:13 - cgroup cgroup rw,cpu,cpuacct
`

const limit = (files: Record<string, string>) => limitByControlGroup((file) => files[file])

test('the CPU limit of a container on a host with control groups of version 1 is the one of its own group', () => {
  const files = {
    '/proc/self/cgroup': '11:memory:/docker/4f\n4:cpu,cpuacct:/docker/4f\n1:name=systemd:/docker/4f\n',
    '/proc/self/mountinfo': mount('/docker/4f'),
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '150000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
  }
  expect(limit(files)).toBe(1.5)
  expect(limit({ ...files, '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1\n' })).toBe(Infinity)
})

test('of the groups around a process the one with the least counts', () => {
  const files = {
    '/proc/self/cgroup': '2:cpuset:/\n1:cpu:/kubepods/pod1/app\n0::/\n',
    '/proc/self/mountinfo': mount('/', '/sys/fs/cgroup/cpu'),
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/cpu/kubepods/pod1/cpu.cfs_quota_us': '25000\n',
    '/sys/fs/cgroup/cpu/kubepods/pod1/cpu.cfs_period_us': '50000\n',
    '/sys/fs/cgroup/cpu/kubepods/pod1/app/cpu.cfs_quota_us': '200000\n',
    '/sys/fs/cgroup/cpu/kubepods/pod1/app/cpu.cfs_period_us': '100000\n',
  }
  expect(limit(files)).toBe(0.5)
})

test('where no control group of version 1 speaks of CPU, it limits nothing', () => {
  expect(limit({})).toBe(Infinity)
  const mountinfo = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n'
  expect(limit({ '/proc/self/cgroup': '0::/\n', '/proc/self/mountinfo': mountinfo })).toBe(Infinity)
})

test('a process whose control group may use one core uses one, although there are more', (context) => {
  if (availableParallelism() < 2) return context.skip('this machine has one core')
  const group = groupOfOneCore()
  if (!group) return context.skip('no control group can be made here')
  onTestFinished(() => rmdirSync(group))
  const script =
    'echo $$ > "$1/cgroup.procs" && exec "$2" --eval "import(process.argv[1]).then((m) => console.log(m.coresToUse()))" "$3"'
  const { stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', group, process.execPath, CORES], { encoding: 'utf8' })
  expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' })
})

/** A control group that may use one core: of version 1 or 2, whichever this machine limits CPU with; root only. */
function groupOfOneCore(): string | undefined {
  const limits = [
    ['/sys/fs/cgroup/cpu', 'cpu.cfs_quota_us', '100000'],
    ['/sys/fs/cgroup', 'cpu.max', '100000 100000'],
  ] as const
  for (const [parent, file, limit] of limits) {
    const group = join(parent, `questboard-test-${process.pid}`)
    try {
      mkdirSync(group)
    } catch {
      continue // not root, or no such controller
    }
    if (existsSync(join(group, file))) {
      writeFileSync(join(group, file), limit)
      return group
    }
    rmdirSync(group)
  }
  return undefined
}
