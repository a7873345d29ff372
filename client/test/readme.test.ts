import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../server/src/access/server-tokens.ts'
import { DEMO_ACCOUNT_ID, loadDemo } from '../../server/src/demo/load-demo.ts'
import { ingestToken } from '../../server/test/ingest-api/arrange.ts'
import { asTemplate, createTestDatabase } from '../../server/test/support/database.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import { createPackedProject, linkPackage, type PackedProject } from './packed.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

/** The TypeScript of a page as one program. */
function programOf(markdown: string): string {
  const blocks = [...markdown.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code as string)
  expect(blocks.length).toBeGreaterThan(0)
  return blocks.join('\n')
}

/** The output lines in the comments of the program. */
function promised(program: string): string[] {
  return [...program.matchAll(/\/\/ prints (.*)$/gm)].map(([, text]) => text as string)
}

let template: string
let project: PackedProject
beforeAll(async () => {
  const database = await createTestDatabase()
  const demo = await startService({ database })
  await loadDemo(demo.deps)
  await demo.stop()
  template = await asTemplate(database)
  project = await createPackedProject()
  await linkPackage(project, '@types/node')
  await linkPackage(project, 'undici-types')
  await writeFile(join(project.directory, 'package.json'), '{"type": "module"}')
})
afterAll(() => project.remove())

describe.each([
  'client/README.md',
  'docs/client.md',
  'docs/guides/sync-roles.md',
  'docs/guides/award-points.md',
  'docs/guides/leaderboard.md',
])('%s', (file) => {
  const name = `${file.replaceAll('/', '-')}.ts`
  let program: string
  // Each page has its own demo data, because award-points changes them.
  let service: TestService
  let env: NodeJS.ProcessEnv
  beforeAll(async () => {
    service = await startService({ template })
    const { token } = await createToken(service.deps, { accountId: DEMO_ACCOUNT_ID, name: 'docs', plan: 'unlimited' })
    env = {
      ...process.env,
      QUESTBOARD_URL: service.url,
      QUESTBOARD_TOKEN: token,
      QUESTBOARD_INGEST_TOKEN: await ingestToken(service),
    }
    program = programOf(await readFile(join(root, file), 'utf8'))
    await writeFile(join(project.directory, name), program)
  })
  afterAll(() => service.stop())

  test('is a program that compiles', async () => {
    const flags = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--types', 'node']
    const { stdout } = await run(process.execPath, [tsc, ...flags, '--skipLibCheck', name], {
      cwd: project.directory,
    }).catch((failure: { stdout: string }) => failure)
    expect(stdout).toBe('')
  })

  test('prints the output of its comments, with the published package and the demo data', async () => {
    const { stdout } = await run(process.execPath, [name], { cwd: project.directory, env })
    expect(promised(program).length).toBeGreaterThan(1)
    expect(stdout.trimEnd().split('\n')).toEqual(promised(program))
  })
})
