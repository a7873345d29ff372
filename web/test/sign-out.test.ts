import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approvedApp, pkcePair, signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

let service: SignInService
let browser: Browser

describe.skipIf(findChromium() === undefined)('the sign-out page in a browser', () => {
  beforeAll(async () => {
    service = await startListening()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
  })

  test('asks before it signs out, and returns to the app', async () => {
    const back = `${service.issuer}/explore`
    const app = await approvedApp(service, { redirectUris: [`${service.issuer}/cb`], postLogoutRedirectUris: [back] })
    const user = await signedInBrowser(service)
    const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await actAs(profile, service.issuer, user)
    const query = new URLSearchParams({ client_id: app.clientId, post_logout_redirect_uri: back, state: 's' })
    const { page, complaints } = await visit(profile, `${service.issuer}/oauth/logout?${query.toString()}`)
    await page.getByText('Example App asks to sign you out here.').waitFor()
    await checkLooks(page, 'sign-out')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(`${back}?state=s`)
    await page.goto(`${service.issuer}/sign-out`)
    await page.getByText('You are signed out.').waitFor()
    expect(complaints).toEqual([])
  })

  test('removes the account from the other tabs of the browser', async () => {
    const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await actAs(profile, service.issuer, await signedInBrowser(service))
    const other = await visit(profile, `${service.issuer}/account`)
    await other.page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    const { page } = await visit(profile, `${service.issuer}/explore`)
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await other.page.waitForURL(`${service.issuer}/sign-in?return=%2Faccount`)
    expect(await other.page.locator('#content').count()).toBe(0)
  })

  test('removes the account from the consent page in another tab after a sign-out everywhere', async () => {
    const app = await approvedApp(service, { redirectUris: [`${service.issuer}/cb`] })
    const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await actAs(profile, service.issuer, await signedInBrowser(service))
    const query = new URLSearchParams({
      ...{ client_id: app.clientId, redirect_uri: `${service.issuer}/cb`, state: 's', scope: 'openid' },
      ...{ code_challenge: pkcePair().challenge, code_challenge_method: 'S256' },
    })
    const consent = await visit(profile, `${service.issuer}/oauth?${query.toString()}`)
    const approve = consent.page.getByRole('button', { name: 'Allow', exact: true })
    await approve.waitFor()
    const { page } = await visit(profile, `${service.issuer}/account/security`)
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL(/sign-in/)
    await approve.waitFor({ state: 'detached' })
  })
})
