import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as openid from 'openid-client'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { copyBuiltClient } from '../../client/test/packed.ts'
import { approvedApp, type SignedIn, signedInBrowser, type Tokens } from '../../server/test/support/oauth-flow.ts'
import { freePort, type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { publicApp } from '../../server/test/support/public-client.ts'
import { visit } from '../../server/test/support/visit.ts'
import type { Integration } from '../src/apps/snippets/integration.ts'
import { type Discovery, oidcSettings } from '../src/apps/snippets/settings.ts'
import { type SnippetName, snippetsOf } from '../src/apps/snippets/snippets.ts'
import { findChromium } from './chromium.ts'
import { shareBrowser } from './shared-browser.ts'
import { actAs } from './signed-in.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const SCOPES = ['openid', 'EVMAddress']
/** With a quote, which every language writes in its own way. */
const PATH = "/it's/callback"

const lacks = (program: string, ...args: string[]) =>
  run(program, args).then(
    () => false,
    () => true,
  )
const withoutPython = await lacks('python3', '--version')
const withoutCurl = (await lacks('curl', '--version')) || (await lacks('openssl', 'version'))
const executablePath = findChromium()

let service: SignInService
let user: SignedIn
let address: string
let redirectUri: string
beforeAll(async () => {
  service = await startListening()
  user = await signedInBrowser(service)
  address = user.account.wallet.address.toLowerCase()
  redirectUri = `http://localhost:${await freePort()}${PATH}`
})
afterAll(() => service.close())

const snippet = (app: Integration, wanted: SnippetName) => {
  const code = snippetsOf(app).find(({ name }) => name === wanted)?.code
  if (code === undefined) throw new Error(`no snippet ${wanted}`)
  return code
}

async function withServer() {
  const { clientId, secret } = await approvedApp(service, {
    redirectUris: [redirectUri],
    scopes: SCOPES,
    s256Only: true,
  })
  const app: Integration = { issuer: service.issuer, clientId, redirectUri, scopes: SCOPES, publicClient: false }
  return { app, env: { ...process.env, QUESTBOARD_CLIENT_SECRET: secret } }
}

async function withoutServer(): Promise<Integration> {
  const { clientId } = await publicApp(service, { redirectUris: [redirectUri], scopes: SCOPES })
  return { issuer: service.issuer, clientId, redirectUri, scopes: SCOPES, publicClient: true }
}

describe('the server of an app', () => {
  let program: ChildProcess
  afterEach(async () => {
    const ended = new Promise((resolve) => program.once('exit', resolve))
    program.kill()
    await ended
  })

  const languages: [SnippetName, string, string[], boolean][] = [
    ['typescript', process.execPath, ['--input-type=module-typescript', '-e'], false],
    ['python', 'python3', ['-c'], withoutPython],
  ]
  describe.each(languages)('in %s', (name, command, args, isMissing) => {
    it.skipIf(isMissing)('signs a user in, and refuses the callback of another browser', async () => {
      const { app, env } = await withServer()
      program = spawn(command, [...args, snippet(app, name)], {
        cwd: ROOT,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let complaints = ''
      program.stderr?.on('data', (part: Buffer) => (complaints += part.toString()))
      const at = (path: string) => new URL(path, redirectUri).href
      await expect
        .poll(
          () =>
            fetch(at('/')).then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 60_000 },
        )
        .toBe(200)
      expect(await (await fetch(at('/'))).text()).toContain('/sign-in')
      const begun = await fetch(at('/sign-in'), { redirect: 'manual' })
      const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
      const callback = await visit(service, user.browser, new URL(begun.headers.get('location') ?? ''))
      expect((await fetch(callback)).status).toBe(400)
      const finished = await fetch(callback, { headers: { cookie } })
      expect(await finished.json()).toEqual({ sub: user.account.id, EVMAddress: address })
      expect((await fetch(callback, { headers: { cookie } })).status).toBe(400)
      expect(complaints).not.toMatch(/Error|Traceback/)
    })
  })
})

describe.skipIf(withoutCurl)('the commands of an app', () => {
  async function redeem(app: Integration, env: NodeJS.ProcessEnv): Promise<Tokens> {
    const bash = spawn('bash', ['-c', snippet(app, 'curl')], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    let printed = ''
    bash.stdout.on('data', (part: Buffer) => (printed += part.toString()))
    const ended = new Promise((resolve) => bash.stdout.once('end', resolve))
    await expect.poll(() => printed).toMatch(/code_challenge=\S+\n/)
    const callback = await visit(service, user.browser, new URL(/http\S+/.exec(printed)?.[0] ?? ''))
    bash.stdin.end(`${callback.searchParams.get('code')}\n`)
    await ended
    return JSON.parse(printed.slice(printed.lastIndexOf('\n{') + 1)) as Tokens
  }

  it('redeem a code with the secret', async () => {
    const { app, env } = await withServer()
    expect(await redeem(app, env)).toMatchObject({ token_type: 'Bearer', scope: SCOPES.join(' ') })
  })

  it('redeem a code of an app without a server', async () => {
    expect(await redeem(await withoutServer(), process.env)).toMatchObject({ token_type: 'Bearer', expires_in: 86_400 })
  })
})

describe.skipIf(executablePath === undefined)('the page of an app', () => {
  let browser: Browser
  let built: string
  let site: Server
  let html: string
  beforeAll(async () => {
    built = await copyBuiltClient()
    browser = await shareBrowser()
    site = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', redirectUri)
      if (pathname === PATH) return response.setHeader('content-type', 'text/html').end(html)
      readFile(join(built, pathname.replace('/client/', ''))).then(
        (text) => response.setHeader('content-type', 'text/javascript').end(text),
        () => response.writeHead(404).end(),
      )
    })
    await new Promise<void>((resolve) => site.listen(Number(new URL(redirectUri).port), 'localhost', resolve))
  })
  afterAll(async () => {
    await browser.close()
    await new Promise((resolve) => site.close(resolve))
    await rm(built, { recursive: true })
  })

  const imports = JSON.stringify({ imports: { '@questboard/client': '/client/index.js' } })
  const pages = {
    browser: (code: string) => code,
    typescript: (code: string) =>
      `<!doctype html><script type="importmap">${imports}</script><body><script type="module">${code}</script>`,
  }
  it.each(Object.entries(pages) as [keyof typeof pages, (code: string) => string][])(
    'signs a user in, and ignores the callback of another tab: %s',
    async (name, pageOf) => {
      html = pageOf(snippet(await withoutServer(), name))
      const profile = await browser.newContext()
      await actAs(profile, service.issuer, user)
      const page = await profile.newPage()
      await page.goto(redirectUri)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.getByText(`"sub":"${user.account.id}","EVMAddress":"${address}"`).waitFor()
      expect(page.url()).toBe(redirectUri)
      await page.goto(`${redirectUri}?code=another&state=another&iss=${encodeURIComponent(service.issuer)}`)
      await page.waitForURL(redirectUri)
      expect(await page.getByText('EVMAddress').count()).toBe(0)
      await profile.close()
    },
  )
})

it('the programs of an app without the scope openid read only the data', async () => {
  const { app } = await withServer()
  for (const publicClient of [true, false])
    for (const { name, code } of snippetsOf({ ...app, publicClient, scopes: ['EVMAddress'] })) {
      expect(code, name).not.toContain('userinfo')
      if (name !== 'curl') expect(code, name).toMatch(/api\/2\/user|signIn\.userData/)
    }
})

describe('the settings of an app', () => {
  it('configure an OpenID Connect library', async () => {
    const { app, env } = await withServer()
    const discovered = (await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json()) as Discovery
    const settings = oidcSettings(app, discovered)
    const config = await openid.discovery(
      new URL(settings.discovery ?? ''),
      settings.clientId ?? '',
      undefined,
      openid.ClientSecretBasic(env.QUESTBOARD_CLIENT_SECRET),
      { execute: [openid.allowInsecureRequests] },
    )
    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain(settings.authentication)
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const expectedState = openid.randomState()
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: settings.redirectUri ?? '',
      scope: settings.scope ?? '',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    })
    expect(url.href).toContain(`${settings.authorization}?`)
    const callback = await visit(service, user.browser, url)
    const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState })
    const info = await fetch(settings.userInfo ?? '', { headers: { authorization: `Bearer ${tokens.access_token}` } })
    expect(await info.json()).toMatchObject({ sub: user.account.id, EVMAddress: address })
    expect((await fetch(settings.endSession ?? '', { redirect: 'manual' })).status).toBeLessThan(400)
  })

  it('have no user info without the scope openid, and no introspection without a secret', async () => {
    const discovered = (await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json()) as Discovery
    const settings = oidcSettings({ ...(await withoutServer()), scopes: ['EVMAddress'] }, discovered)
    expect(settings).toMatchObject({ authentication: 'none', userInfo: null, introspection: null })
  })

  it('are all that a native app gets with the commands', async () => {
    const app = { ...(await withoutServer()), redirectUri: 'com.example.app:/callback' }
    expect(snippetsOf(app).map(({ name }) => name)).toEqual(['curl'])
  })
})
