import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM_FLAGS, findChromium } from '../../web/test/chromium.ts'
import { type ClientService, CREDENTIAL, HOLDER, MEMBERS, STARBOARD, startCommunity, USERS } from './arrange.ts'
import { type CheckOptions, runChecks } from './checks.ts'

const run = promisify(execFile)
const ids = { starboardId: STARBOARD, credentialId: CREDENTIAL, holder: HOLDER }

let service: ClientService
let expected: Record<string, unknown>
let withToken: CheckOptions
beforeAll(async () => {
  service = await startCommunity()
  withToken = { ...ids, baseUrl: service.url, accessToken: service.personas.business }
  expected = asSent(await runChecks(withToken))
})
afterAll(() => service.stop())

function asSent(value: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value)) as Record<string, unknown>
}

/** The checks and the client as one script. */
async function bundle(options: { format: 'iife' | 'esm'; footer?: string }): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'checks.ts')],
    bundle: true,
    write: false,
    globalName: 'checks',
    format: options.format,
    footer: { js: options.footer ?? '' },
  })
  return outputFiles[0]!.text
}

test('runs in Node', () => {
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
  })
})

test('runs in an edge worker, with only the interfaces of all such workers', async () => {
  const globals = {
    ...{ fetch, Request, Response, Headers, URL, URLSearchParams, AbortController, AbortSignal, TextEncoder },
    ...{ crypto, btoa, structuredClone, setTimeout, clearTimeout },
  }
  const context = createContext({ ...globals, options: withToken })
  runInContext(await bundle({ format: 'iife' }), context)
  const answers: unknown = await runInContext('checks.runChecks(options)', context)
  expect(asSent(answers)).toEqual(expected)
})

describe.each([
  ['Deno', 'deno', ['run', '--allow-net', '--no-prompt']],
  ['Bun', 'bun', ['run']],
])('%s', (_, command, flags) => {
  test.skipIf(!isInstalled(command))(`runs in ${command} (skipped without it)`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'questboard-runtime-'))
    const footer = `console.log(JSON.stringify(await runChecks(${JSON.stringify(withToken)})))`
    await writeFile(join(directory, 'checks.mjs'), await bundle({ format: 'esm', footer }))
    const { stdout } = await run(command, [...flags, join(directory, 'checks.mjs')])
    expect(JSON.parse(stdout)).toEqual(expected)
    await rm(directory, { recursive: true })
  })
})

describe('a browser', () => {
  let site: Server | undefined
  afterAll(() => site?.close())

  /** The recommended setup for browsers: a path of the site's server adds the token, which never reaches a page. */
  async function startSite(script: string): Promise<string> {
    site = createServer((request, response) => {
      void (async () => {
        if (request.url === '/') {
          response.setHeader('content-type', 'text/html').end(`<!doctype html><script>${script}</script>`)
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
    await once(site, 'listening')
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  }

  const executablePath = findChromium()
  test.skipIf(executablePath === undefined)(
    'runs behind a path of its own site (skipped without Chromium)',
    async () => {
      const url = await startSite(await bundle({ format: 'iife' }))
      const browser = await chromium.launch({ executablePath: executablePath as string, args: CHROMIUM_FLAGS })
      const page = await browser.newPage()
      await page.goto(url)
      const options = JSON.stringify({ ...ids, baseUrl: '/questboard' })
      const answers = await page.evaluate<unknown>(`checks.runChecks(${options})`)
      await browser.close()
      expect(asSent(answers)).toEqual(expected)
    },
    120_000,
  )
})

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
