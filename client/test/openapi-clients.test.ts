import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { ingestToken } from '../../server/test/ingest-api/arrange.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import { linkPackage } from './packed.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const programOf = (name: string, path: string) => join(dirname(require.resolve(`${name}/package.json`)), path)
const tsc = programOf('typescript', 'bin/tsc')

/** The documents that the service publishes. */
const documents = { api: '/api/openapi.json', ingest: '/ingest/openapi.json' }

let service: TestService
let token: string
let directory: string
beforeAll(async () => {
  service = await startService()
  await importRecords(service.deps, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  token = await ingestToken(service)
  directory = await mkdtemp(join(tmpdir(), 'questboard-openapi-'))
  await mkdir(join(directory, 'node_modules'))
  for (const name of ['@types/node', 'undici-types', 'openapi-fetch', 'openapi-typescript-helpers'])
    await linkPackage({ directory }, name)
  for (const [name, path] of Object.entries(documents))
    await writeFile(join(directory, `${name}.json`), await (await fetch(service.url + path)).text())
})
afterAll(async () => {
  await service.stop()
  await rm(directory, { recursive: true })
})

const award = (key: string) => `{ items: [{ key: '${key}', spaceId: 40, address: 'ann', points: 25 }] }`

describe('openapi-typescript with openapi-fetch', () => {
  beforeAll(async () => {
    for (const name of Object.keys(documents))
      await generate('openapi-typescript', 'bin/cli.js', [`${name}.json`, '--output', `types-${name}.ts`])
  })

  test('generates clients from both documents that compile and call the service', async () => {
    const said = await compileAndRun(
      'openapi-fetch',
      `
      import createClient from 'openapi-fetch'
      import type { paths as Api } from './types-api'
      import type { paths as Ingest } from './types-ingest'

      const baseUrl = process.env.SERVICE ?? ''
      const ingest = createClient<Ingest>({ baseUrl, headers: { authorization: \`Bearer \${process.env.TOKEN}\` } })
      const stored = await ingest.POST('/ingest/v1/awards', { body: ${award('order-1')} })
      console.log(stored.data?.summary.applied, stored.data?.results[0]?.status)
      const refused = await createClient<Ingest>({ baseUrl }).POST('/ingest/v1/awards', { body: ${award('order-1')} })
      console.log(refused.error?.error.code)
      const api = createClient<Api>({ baseUrl })
      const session = await api.GET('/api/session')
      console.log(session.data?.account, typeof session.data?.csrfToken)
      `,
    )
    expect(said).toBe('1 applied\nTOKEN_REQUIRED\nnull string\n')
  })

  test('the types refuse a field that does not exist', async () => {
    const wrong = `
      import createClient from 'openapi-fetch'
      import type { paths } from './types-ingest'

      const item = { key: 'order-1', space: 40, address: 'ann', points: 25 }
      await createClient<paths>().POST('/ingest/v1/awards', { body: { items: [item] } })
      `
    expect(await compile('wrong', wrong)).toMatch(/spaceId/)
  })
})

describe('@hey-api/openapi-ts', () => {
  test('generates clients from both documents that compile and call the service', async () => {
    for (const name of Object.keys(documents))
      await generate('@hey-api/openapi-ts', 'bin/run.js', ['--input', `${name}.json`, '--output', `sdk-${name}`])
    const said = await compileAndRun(
      'hey-api',
      `
      import { createClient as createApi } from './sdk-api/client'
      import { getApiSession } from './sdk-api'
      import { createClient } from './sdk-ingest/client'
      import { postIngestV1Awards } from './sdk-ingest'

      const baseUrl = process.env.SERVICE ?? ''
      const client = createClient({ baseUrl, auth: () => process.env.TOKEN })
      const stored = await postIngestV1Awards({ client, body: ${award('order-2')} })
      console.log(stored.data?.summary.applied, stored.data?.results[0]?.status)
      const refused = await postIngestV1Awards({ client: createClient({ baseUrl }), body: ${award('order-2')} })
      console.log(refused.error?.error.code)
      const session = await getApiSession({ client: createApi({ baseUrl }) })
      console.log(session.data?.account, typeof session.data?.csrfToken)
      `,
    )
    expect(said).toBe('1 applied\nTOKEN_REQUIRED\nnull string\n')
  })
})

async function generate(name: string, path: string, words: string[]): Promise<void> {
  await run(process.execPath, [programOf(name, path), ...words], { cwd: directory })
}

/** Returns the errors of the compiler. */
async function compile(name: string, program: string): Promise<string> {
  await writeFile(join(directory, `${name}.ts`), program)
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler']
  const { stdout } = await run(process.execPath, [tsc, ...flags, '--types', 'node', '--skipLibCheck', `${name}.ts`], {
    cwd: directory,
  }).catch((failure: { stdout: string }) => failure)
  return stdout
}

async function compileAndRun(name: string, program: string): Promise<string> {
  expect(await compile(name, program)).toBe('')
  const outfile = join(directory, `${name}.mjs`)
  await build({ entryPoints: [join(directory, `${name}.ts`)], bundle: true, platform: 'node', format: 'esm', outfile })
  const env = { ...process.env, SERVICE: service.url, TOKEN: token }
  const { stdout } = await run(process.execPath, [outfile], { cwd: directory, env })
  return stdout
}
