import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { type PersonInBrowser, personInBrowser } from './person-in-browser.ts'
import { actAs } from './signed-in.ts'

const PAGES = ['/', '/s/forty', '/s/forty?movement=24h']

const SHIFTS = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().map(({ value }) => value)))
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve([]), 300)
})`

let { world, issuer, browser, profile, person, close } = {} as PersonInBrowser
let here: Visit

describe.skipIf(findChromium() === undefined)('a public page in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, browser, profile, person, close } = await personInBrowser())
    await world.database.query(`INSERT INTO space_pages VALUES (40, 'forty', now())`)
  })
  afterAll(() => close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const accountLink = () => here.page.getByRole('navigation', { name: 'Pages' }).getByRole('link').last()

  test.each(PAGES)('offers members their account, and guests the sign-in, without layout shift: %s', async (path) => {
    for (const [isMember, label] of [
      [true, 'Your account'],
      [false, 'Sign in'],
    ] as const) {
      await (isMember ? actAs(profile, issuer, person) : profile.clearCookies())
      here = await visit(profile, issuer + path)
      expect(await accountLink().innerText()).toBe(label)
      expect(await here.page.evaluate(SHIFTS)).toEqual([])
      if (isMember) await here.page.close()
    }
  })

  test('offers the sign-in after the session has ended in this browser', async () => {
    await actAs(profile, issuer, person)
    here = await visit(profile, `${issuer}/account`)
    await here.page.getByRole('button', { name: /^Account menu of/ }).click()
    await here.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await here.page.getByRole('heading', { name: 'Sign in to Questboard' }).waitFor()
    await here.page.goto(`${issuer}/s/forty`)
    expect(await accountLink().innerText()).toBe('Sign in')
  })

  test('offers the sign-in without scripts', async () => {
    const without = await browser.newContext({ javaScriptEnabled: false })
    here = { page: await without.newPage(), context: without, complaints: [] }
    await here.page.goto(`${issuer}/s/forty`)
    expect(await accountLink().innerText()).toBe('Sign in')
  })
})
