import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { build as buildWithVite } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE } from '../../server/src/clock.ts'
import { findChromium } from '../../web/test/chromium.ts'
import { shareBrowser } from '../../web/test/shared-browser.ts'
import { type ClientService, CREDENTIAL, HOLDER, MEMBERS, STARBOARD, startCommunity, USERS } from './arrange.ts'
import { type CheckOptions, runChecks } from './checks.ts'
import { createPackedProject, type PackedProject } from './packed.ts'
import { installationFailure, installRuntimes, programOf, type Runtime } from './runtimes/install.ts'

const run = promisify(execFile)
const DOWNLOAD_TIMEOUT = 10 * MINUTE
const failure = await installationFailure()
if (failure !== undefined) process.stderr.write(`The client is not tested in other runtimes: ${failure}.\n`)
const ids = { starboardId: STARBOARD, credentialId: CREDENTIAL, holder: HOLDER }

let service: ClientService
let project: PackedProject
let expected: Record<string, unknown>
let withToken: CheckOptions
beforeAll(async () => {
  ;[service, project] = await Promise.all([startCommunity(), createPackedProject()])
  withToken = { ...ids, baseUrl: service.url, accessToken: service.personas.business }
  expected = asSent(await runChecks(withToken))
})
afterAll(() => Promise.all([service.stop(), project.remove()]))

function asSent(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>
}

/** The checks, with the client of the packed file or an import of it. */
async function bundle(options: { format: 'iife' | 'esm'; external?: string[]; footer?: string }): Promise<string> {
  const contents = await readFile(join(import.meta.dirname, 'checks.ts'), 'utf8')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project.directory, loader: 'ts' },
    bundle: true,
    write: false,
    globalName: 'checks',
    external: options.external ?? [],
    format: options.format,
    footer: { js: options.footer ?? '' },
  })
  return outputFiles[0]!.text
}

test('returns the same from its sources', () => {
  expect(expected).toMatchObject({
    users: USERS,
    ranks: Array.from({ length: MEMBERS }, (_, n) => n + 1),
    nobody: null,
    search: { found: true },
    group: { ok: true },
    accepts: { ok: true },
    reliable: { ok: false },
    refusal: ['QuestboardError', 'NOT_FOUND', 'NOT_FOUND', 404],
    abort: 'Error: enough',
    unreachable: ['QuestboardError', 'NETWORK_ERROR', 'CLIENT', null],
    logout: ['Zoë', 's', 'invalid_logout_token'],
  })
})

test('runs in an edge worker, with only the interfaces of all such workers', async () => {
  const globals = {
    ...{
      fetch,
      Request,
      Response,
      Headers,
      URL,
      URLSearchParams,
      AbortController,
      AbortSignal,
      TextEncoder,
      TextDecoder,
    },
    ...{ crypto, atob, btoa, structuredClone, setTimeout, clearTimeout },
  }
  const context = createContext({ ...globals, options: withToken })
  runInContext(await bundle({ format: 'iife' }), context)
  const answers: unknown = await runInContext('checks.runChecks(options)', context)
  expect(asSent(answers)).toEqual(expected)
})

/** Runs the checks with the packed file in a process of the program. */
async function runIn(program: string, flags: readonly string[] = []): Promise<unknown> {
  const footer = `console.log(JSON.stringify(await runChecks(${JSON.stringify(withToken)})))`
  const script = await bundle({
    format: 'esm',
    external: ['@questboard/client', '@questboard/client/logout'],
    footer,
  })
  await writeFile(join(project.directory, 'checks.mjs'), script)
  // Deno imports only packages that the project names.
  await writeFile(join(project.directory, 'package.json'), '{"dependencies":{"@questboard/client":"*"}}')
  const { stdout } = await run(program, [...flags, 'checks.mjs'], { cwd: project.directory })
  return JSON.parse(stdout)
}

test('runs the packed file in the Node of the project', async () => {
  expect(await runIn(process.execPath)).toEqual(expected)
})

describe.skipIf(failure !== undefined)('other runtimes (skipped without the npm registry)', () => {
  beforeAll(installRuntimes, DOWNLOAD_TIMEOUT)

  test.each<[Runtime, RegExp, string[]]>([
    ['Node 20', /^v20\./, []],
    ['Node 22', /^v22\./, []],
    ['Deno', /^deno 2\./, ['run', '--allow-net', '--allow-read', '--allow-env', '--no-prompt']],
    ['Bun', /^1\./, ['run']],
  ])('runs the packed file in %s', async (runtime, version, flags) => {
    const program = programOf(runtime)
    expect((await run(program, ['--version'])).stdout).toMatch(version)
    expect(await runIn(program, flags)).toEqual(expected)
  })
})

describe('a browser', () => {
  const sites: Server[] = []
  afterAll(() => sites.map((site) => site.close()))

  /**
   * The recommended setup for browsers: a path of the site's server adds the token, which never reaches a page.
   * @param files by path
   */
  async function startSite(files: ReadonlyMap<string, string>): Promise<string> {
    const site = createServer((request, response) => {
      void (async () => {
        const file = files.get(request.url ?? '')
        if (file !== undefined) {
          const type = extname(request.url ?? '') === '.js' ? 'text/javascript' : 'text/html'
          response.setHeader('content-type', type).end(file)
          return
        }
        const answer = await fetch(`${service.url}/query`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'access-token': service.personas.business },
          body: await text(request),
        })
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
      })()
    }).listen(0, '127.0.0.1')
    sites.push(site)
    await once(site, 'listening')
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  }

  /** The page of an app whose only dependency is the packed file, as Vite builds it for production. */
  async function siteOfVite(): Promise<Map<string, string>> {
    const root = project.directory
    await copyFile(join(import.meta.dirname, 'checks.ts'), join(root, 'checks.ts'))
    await writeFile(join(root, 'main.js'), `import * as checks from './checks.ts'\nglobalThis.checks = checks\n`)
    await writeFile(join(root, 'index.html'), '<!doctype html><script type="module" src="/main.js"></script>')
    const outDir = join(root, 'site')
    await buildWithVite({ root, configFile: false, logLevel: 'error', build: { outDir } })
    const names = await readdir(outDir, { recursive: true, withFileTypes: true })
    const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name))
    const contents = files.map(async (file) => [file.slice(outDir.length), await readFile(file, 'utf8')] as const)
    return new Map(await Promise.all(contents)).set('/', await readFile(join(outDir, 'index.html'), 'utf8'))
  }

  const executablePath = findChromium()
  test.skipIf(executablePath === undefined).each([
    [
      'as a classic script',
      async () => new Map([['/', `<!doctype html><script>${await bundle({ format: 'iife' })}</script>`]]),
    ],
    ['in a page that Vite built', siteOfVite],
  ])(
    'runs behind a path of its own site, %s (skipped without Chromium)',
    async (_, filesOf) => {
      const url = await startSite(await filesOf())
      const browser = await shareBrowser()
      const page = await browser.newPage()
      await page.goto(url)
      const options = JSON.stringify({ ...withToken, accessToken: undefined, baseUrl: '/questboard' })
      const answers = await page.evaluate<unknown>(`checks.runChecks(${options})`)
      await browser.close()
      expect(asSent(answers)).toEqual(expected)
    },
    120_000,
  )
})
