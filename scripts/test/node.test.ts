import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const CHECKOUT = join(import.meta.dirname, '../..')

interface Lockfile {
  packages: Record<string, { os?: string; cpu?: string; bin?: { node?: string } }>
}
const { packages } = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as Lockfile

/** The paths of the Node binaries among the dependencies, by platform. */
const binaries = new Map(
  Object.entries(packages).flatMap(([path, { os, cpu, bin }]) =>
    /^node_modules\/node-/.test(path) && bin?.node !== undefined ? [[`${os}-${cpu}`, join(path, bin.node)]] : [],
  ),
)

/** What `uname -s` and `uname -m` print. */
const MACHINES: [platform: string, system: string, machine: string][] = [
  ['linux-x64', 'Linux', 'x86_64'],
  ['linux-arm64', 'Linux', 'aarch64'],
  ['darwin-x64', 'Darwin', 'x86_64'],
  ['darwin-arm64', 'Darwin', 'arm64'],
]

describe('scripts/node', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'questboard node '))
    mkdirSync(join(folder, 'scripts'))
    copyFileSync(join(CHECKOUT, 'scripts/node'), join(folder, 'scripts/node'))
    program('path/uname', 'case $1 in -s) echo "$SYSTEM" ;; -m) echo "$MACHINE" ;; esac')
    for (const path of [...binaries.values(), 'path/node']) program(path, `echo "${path} $*"`)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function program(path: string, script: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }

  function run(system: string, machine: string): string {
    const path = [join(folder, 'path'), '/usr/bin', '/bin'].join(delimiter)
    const env = { PATH: path, SYSTEM: system, MACHINE: machine }
    return spawnSync(join(folder, 'scripts/node'), ['main.ts', '--all'], { env, encoding: 'utf8' }).stdout
  }

  it('covers every platform that has a package', () => {
    expect([...binaries.keys()].toSorted()).toEqual(MACHINES.map(([platform]) => platform).toSorted())
  })

  it.each(MACHINES)('runs the Node of the package for %s', (platform, system, machine) => {
    expect(run(system, machine)).toBe(`${binaries.get(platform)} main.ts --all\n`)
  })

  it("runs the machine's Node if the Node of the package does not run", () => {
    const [[platform, system, machine]] = MACHINES as [(typeof MACHINES)[number]]
    const path = binaries.get(platform) ?? ''
    program(path, 'exit 1')
    try {
      expect(run(system, machine)).toBe('path/node main.ts --all\n')
    } finally {
      program(path, `echo "${path} $*"`)
    }
  })

  it('prefers the link that npm makes', () => {
    program('node_modules/.bin/node', 'echo "link $*"')
    try {
      expect(run('Linux', 'x86_64')).toBe('link main.ts --all\n')
    } finally {
      rmSync(join(folder, 'node_modules/.bin'), { recursive: true })
    }
  })
})
