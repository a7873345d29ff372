import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { buildPackage } from '../../scripts/build-package.ts'
import { packedClient } from '../../server/test/support/packed-client.ts'

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
  const packed = await packOnce()
  const directory = await mkdtemp(join(tmpdir(), 'questboard-client-'))
  const installed = join(directory, 'node_modules', '@questboard', 'client')
  const [name] = (await readdir(packed)).filter((file) => file.endsWith('.tgz'))
  const tarball = join(directory, String(name))
  await cp(join(packed, String(name)), tarball)
  await mkdir(installed, { recursive: true })
  await run('tar', ['--extract', '--gzip', '--file', tarball, '--directory', installed, '--strip-components=1'])
  return { directory, tarball, installed, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** Makes a folder with the compiled package in a temporary place. */
export async function copyBuiltClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-client-'))
  await cp(join(await packOnce(), 'built'), folder, { recursive: true })
  return folder
}

/** Compiles and packs the package once in a run of tests. Returns the folder of the packed file and of `built`. */
async function packOnce(): Promise<string> {
  const packed = packedClient(inject('template'))
  if (existsSync(packed)) return packed
  const unfinished = await mkdtemp(`${packed}-`)
  const built = join(unfinished, 'built')
  try {
    await buildPackage(join(import.meta.dirname, '..'), built)
    await run('npm', ['pack', '--pack-destination', unfinished], { cwd: built })
    await rename(unfinished, packed)
  } catch (error) {
    await rm(unfinished, { recursive: true })
    // Another file of the run may have been faster.
    if (!existsSync(packed)) throw error
  }
  return packed
}

/** Links a package of this repository's node_modules into the project. */
export async function linkPackage({ directory }: Pick<PackedProject, 'directory'>, name: string): Promise<void> {
  const target = join(directory, 'node_modules', name)
  await mkdir(join(target, '..'), { recursive: true })
  await symlink(join(import.meta.dirname, '../../node_modules', name), target)
}
