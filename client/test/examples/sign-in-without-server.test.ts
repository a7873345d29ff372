import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyBuiltClient } from '../packed.ts'
import { signedInBrowser } from '../../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../../server/test/support/oauth-service.ts'
import { publicApp } from '../../../server/test/support/public-client.ts'
import { findChromium } from '../../../web/test/chromium.ts'
import { shareBrowser } from '../../../web/test/shared-browser.ts'
import { actAs } from '../../../web/test/signed-in.ts'
import { close, urlOf } from './listening.ts'

const example = join(import.meta.dirname, '../../../examples/sign-in-without-server')
const executablePath = findChromium()

describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let service: SignInService
  let built: string
  let site: Server
  let url: string
  let clientId: string
  let browser: Browser
  beforeAll(async () => {
    service = await startListening()
    built = await copyBuiltClient()
    site = createServer((request, response) => {
      const path = new URL(request.url ?? '', 'http://localhost').pathname
      void serve(path).then(
        ([type, text]) => response.setHeader('content-type', type).end(text),
        () => response.writeHead(404).end(),
      )
    }).listen(0, '127.0.0.1')
    url = `${await urlOf(site)}/`
    clientId = (await publicApp(service, { redirectUris: [url] })).clientId
    browser = await shareBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await Promise.all([close(site), service.close(), rm(built, { recursive: true })])
  })

  /** The files of the example with its two settings, and the built client. */
  async function serve(path: string): Promise<[type: string, text: string]> {
    if (path === '/') {
      const page = await readFile(join(example, 'index.html'), 'utf8')
      return ['text/html', page.replace('http://localhost:4000', service.issuer).replace('YOUR_CLIENT_ID', clientId)]
    }
    const file = path === '/app.js' ? join(example, path) : join(built, path.replace('/client/', ''))
    return ['text/javascript', await readFile(file, 'utf8')]
  }

  async function openPage() {
    const user = await signedInBrowser(service)
    const profile = await browser.newContext()
    await actAs(profile, service.issuer, user)
    const page = await profile.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/authorize\//)
    return { page, address: user.account.wallet.address.toLowerCase() }
  }

  test('signs a user in from a static page, and keeps the user after a reload', async () => {
    const { page, address } = await openPage()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText(`Signed in as ${address}.`).waitFor()
    expect(page.url()).toBe(url)
    await page.reload()
    await page.getByText(`Signed in as ${address}.`).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are not signed in.').waitFor()
  })

  test('shows that the user refused', async () => {
    const { page } = await openPage()
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('You refused.').waitFor()
  })

  test('rejects a callback that this tab did not start', async () => {
    const page = await browser.newPage()
    await page.goto(`${url}?code=stolen&state=guessed`)
    await page.getByText('The sign-in failed.').waitFor()
    expect(page.url()).toBe(url)
  })
})
