import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../../scripts/build-package.ts'

const run = promisify(execFile)

/** A separate project that has installed the published package from its packed file. */
export interface PackedProject {
  directory: string
  tarball: string
  /** The folder of the package in the project. */
  installed: string
  remove(): Promise<void>
}

export async function createPackedProject(): Promise<PackedProject> {
  const directory = await mkdtemp(join(tmpdir(), 'questboard-client-'))
  const built = join(directory, 'built')
  const installed = join(directory, 'node_modules', '@questboard', 'client')
  await buildPackage(join(import.meta.dirname, '..'), built)
  await mkdir(installed, { recursive: true })
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], { cwd: built })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  const tarball = join(directory, filename)
  await run('tar', ['--extract', '--gzip', '--file', tarball, '--directory', installed, '--strip-components=1'])
  await rm(built, { recursive: true })
  return { directory, tarball, installed, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** Links a package of this repository's node_modules into the project. */
export async function linkPackage({ directory }: Pick<PackedProject, 'directory'>, name: string): Promise<void> {
  const target = join(directory, 'node_modules', name)
  await mkdir(join(target, '..'), { recursive: true })
  await symlink(join(import.meta.dirname, '../../node_modules', name), target)
}
