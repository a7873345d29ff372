import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../../server/src/access/server-tokens.ts'
import { DEMO_ACCOUNT_ID, loadDemo } from '../../../server/src/demo/load-demo.ts'
import { ingestToken } from '../../../server/test/ingest-api/arrange.ts'
import { startService, type TestService } from '../../../server/test/support/service.ts'
import { findPython } from './find-python.ts'
import { installPackage } from './install-package.ts'
import { manualProgram } from './manual-program.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')
const python = findPython()

describe.skipIf(python === undefined)("docs/python.md (skipped without Debian's httpx, PyJWT, pytest and mypy)", () => {
  let service: TestService
  let directory: string
  let program: string
  let env: NodeJS.ProcessEnv
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'questboard-python-manual-'))
    program = await manualProgram()
    await writeFile(join(directory, 'program.py'), program)
    service = await startService()
    await loadDemo(service.deps)
    const { token } = await createToken(service.deps, { accountId: DEMO_ACCOUNT_ID, name: 'docs', plan: 'unlimited' })
    env = {
      ...process.env,
      PYTHONPATH: await installPackage(python as string, directory),
      PYTHONDONTWRITEBYTECODE: '1',
      QUESTBOARD_URL: service.url,
      QUESTBOARD_TOKEN: token,
      QUESTBOARD_INGEST_TOKEN: await ingestToken(service),
    }
  })
  afterAll(async () => {
    await service.stop()
    await rm(directory, { recursive: true })
  })

  test('prints the output of its comments, with the built package and the demo data', async () => {
    const { stdout } = await run(python as string, ['program.py'], { cwd: directory, env })
    const promised = [...program.matchAll(/# prints (.*)$/gm)].map(([, text]) => text)
    expect(promised.length).toBeGreaterThan(10)
    expect(stdout.trimEnd().split('\n')).toEqual(promised)
  })

  test('has cause and action of each public class of errors, and names each method of the clients', async () => {
    const list = [
      'import inspect, questboard',
      'errors = [name for name, value in vars(questboard).items() if inspect.isclass(value) and issubclass(value, Exception)]',
      'readers = [questboard.Client, questboard.IngestClient, questboard.SignIn, questboard.StarboardReader, questboard.SpaceReader, questboard.CredentialReader, questboard.QuestReader]',
      "methods = [name for reader in readers for name in vars(reader) if not name.startswith('_')]",
      "print(' '.join([*errors, *methods]))",
    ]
    const { stdout } = await run(python as string, ['-c', list.join('\n')], { env })
    const markdown = await readFile(join(root, 'docs/python.md'), 'utf8')
    const names = stdout.trim().split(' ')
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(markdown))).toEqual([])
    const rows = [...markdown.matchAll(/^\| `(\w+Error)` +\| ([^|]*\S) +\| ([^|]*\S) +\|$/gm)].map(([, name]) => name)
    expect(rows.toSorted()).toEqual(names.filter((name) => name.endsWith('Error')).toSorted())
  })
})
