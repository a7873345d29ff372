import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPython } from './find-python.ts'
import { installPackage } from './install-package.ts'
import { manualProgram } from './manual-program.ts'
import { startWorld, type World } from './world.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const python = findPython()
/** Both checks use it, and later runs: most of their time goes to the libraries. mypy compares each file with it. */
const CHECKED_TYPES = join(root, '../../node_modules/.cache/mypy')

describe.skipIf(python === undefined)(
  "the Python client (skipped without Debian's httpx, PyJWT, pytest and mypy)",
  () => {
    let world: World
    let directory: string
    let env: NodeJS.ProcessEnv
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'questboard-python-'))
      const installed = await installPackage(python as string, directory)
      world = await startWorld()
      env = {
        ...process.env,
        PYTHONPATH: installed,
        PYTHONDONTWRITEBYTECODE: '1',
        QUESTBOARD_WORLD: JSON.stringify(world.facts),
      }
    })
    afterAll(async () => {
      await world.stop()
      await rm(directory, { recursive: true })
    })

    /** Runs a module of Python on the built package. Returns its output, also if it fails. */
    async function output(...words: string[]): Promise<string> {
      const failed = (failure: { stdout: string; stderr: string }) => failure
      const { stdout, stderr } = await run(python as string, ['-m', ...words], { cwd: root, env }).catch(failed)
      return stdout + stderr
    }

    test('the built package passes its tests, synchronous and asynchronous', async () => {
      const said = await output('pytest', '-q', '-p', 'no:cacheprovider')
      expect(said).toMatch(/\d{3} passed/)
      expect(said).not.toMatch(/failed|error|skipped/)
    })

    test('types are complete: mypy --strict', async () => {
      expect(await output('mypy', '--cache-dir', CHECKED_TYPES)).toMatch(/^Success/)
    })

    test('the program of docs/python.md has correct types with the built package: mypy --strict', async () => {
      const program = join(directory, 'program.py')
      await writeFile(program, await manualProgram())
      // In its folder, without the settings of the package, which name the sources.
      const words = ['-m', 'mypy', '--strict', '--cache-dir', CHECKED_TYPES, program]
      const { stdout } = await run(python as string, words, { cwd: directory, env }).catch(
        (failure: { stdout: string }) => failure,
      )
      expect(stdout).toMatch(/^Success/)
    })

    test('the package has types, its modules and one dependency', async () => {
      const files = await readdir(join(directory, 'installed'), { recursive: true })
      expect(files).toContain('questboard/py.typed')
      expect(files).toContain('questboard/_sync/client.py')
      expect(files.filter((file) => file.startsWith('tests'))).toEqual([])
      const requires = "from importlib.metadata import requires; print(requires('questboard'))"
      const { stdout } = await run(python as string, ['-c', requires], { env })
      // Versions of setuptools differ in spaces and parentheses.
      expect(stdout.trim().replaceAll(/[ ()]/g, '')).toBe(`['httpx<1,>=0.23',"pyjwt[crypto]<3,>=2.6;extra=='openid'"]`)
    })
  },
)
