import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

/** Builds the wheel from a copy, because the build writes into its folder, and unpacks it as an installer does. */
export async function installPackage(python: string, directory: string): Promise<string> {
  const source = join(directory, 'source')
  const installed = join(directory, 'installed')
  await cp(root, source, { recursive: true, filter: (path) => !/__pycache__|\/tests?$/.test(path) })
  const build = [
    'import sys, zipfile',
    // The build replaces the arguments.
    'target = sys.argv[1]',
    'from setuptools import build_meta',
    "wheel = build_meta.build_wheel('..')",
    "zipfile.ZipFile('../' + wheel).extractall(target)",
  ]
  await run(python, ['-c', build.join('\n'), installed], { cwd: source })
  return installed
}
