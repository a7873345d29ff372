import { createHash } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inviteOperator } from '../../server/src/accounts/operator-invitations.ts'
import { systemClock } from '../../server/src/clock.ts'
import { FIRST_OPERATOR_LINK_LIFETIME } from '../../server/src/lifetimes.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { testWallet } from '../../server/test/support/oauth-wallet.ts'
import { startService, type TestService } from '../../server/test/support/service.ts'
import { openBrowser, openProfile, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { injectWallet } from './signed-in.ts'
import { spaceTab } from './space-tab.ts'

const TARGET = 'https://welcome.example/start'
const member = testWallet()
/** A code, until the profile is public. */
const nameOf = (address: string) => createHash('md5').update(address.toLowerCase()).digest('hex').slice(0, 10)
const rivals = { first: `0x${'a'.repeat(40)}`, second: `0x${'b'.repeat(40)}` }

let service: TestService
let issuer: string
let browser: Browser

/** A browser of a person with a wallet. */
async function openPerson(wallet = testWallet()) {
  const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
  await injectWallet(profile, { name: 'Test Wallet', wallet })
  await profile.route(`${TARGET}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Welcome</h1>' }))
  return profile
}

describe.skipIf(findChromium() === undefined)('from an empty installation to the first completed quest', () => {
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    const clock = { ...systemClock, set() {}, advance() {} }
    service = await startService({ port, settings, clock })
    browser = await openBrowser()
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await service.stop()
  })

  test('an operator and a member use pages only', { timeout: 180_000 }, async () => {
    // As the start of an installation without operators prints it.
    const link = await inviteOperator({ ...service.deps, site: { issuer } }, FIRST_OPERATOR_LINK_LIFETIME, {
      forFirst: true,
    })
    const operator = await openPerson()
    const console = await visit(operator, link.url)
    await becomeOperator(console.page)
    await createSpace(console.page)
    await createCredentials(console.page)
    await createQuest(console.page)
    await awardPoints(console.page, { [rivals.first]: 40, [rivals.second]: 20, [member.address]: 10 })
    expect(console.complaints).toEqual([])

    const person = await openPerson(member)
    const { page, complaints } = await visit(person, `${issuer}/s/meridian`)
    await page.getByRole('listitem').filter({ hasText: 'Rank 3' }).getByTitle(member.address.toLowerCase()).waitFor()
    await page.getByRole('link', { name: 'First lesson' }).click()
    await page.getByText('Pass the quiz').waitFor()
    await checkLooks(page, 'community-quest')
    await page.getByRole('link', { name: 'Complete this quest' }).click()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await completeQuest(page)

    await page.getByRole('link', { name: 'See your rank' }).click()
    await page.locator('#found').filter({ hasText: 'You' }).filter({ hasText: '60' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Community page' }).click()
    await page.getByRole('heading', { name: 'Meridian', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/s/meridian')
    await page.goBack()
    await page.getByRole('main').getByRole('link', { name: 'My quests' }).click()
    await page.getByText('Rank 1', { exact: true }).waitFor()
    await page
      .getByText('On leaderboards:')
      .getByRole('link', { name: nameOf(member.address) })
      .waitFor()
    await page.getByText('On leaderboards:').getByRole('link').click()
    await page.getByRole('definition').filter({ hasText: '1 of 3' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Meridian' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Rank 1' }).getByTitle(member.address.toLowerCase()).waitFor()
    await page.getByRole('link', { name: 'Find me' }).click()
    await page.locator('#found').filter({ hasText: '60' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('a member who has only a passkey completes the same quest', { timeout: 180_000 }, async () => {
    const person = await openProfile(browser, { width: 1280, scheme: 'light' })
    await person.route(`${TARGET}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Welcome</h1>' }))
    const { page, complaints } = await visit(person, `${issuer}/s/meridian`)
    await addAuthenticator(page)
    await page.getByRole('link', { name: 'First lesson' }).click()
    await page.getByRole('link', { name: 'Complete this quest' }).click()
    await page.getByRole('button', { name: 'New here? Create a passkey' }).click()
    await page.getByText('The points go to your account.').waitFor()
    expect(await page.getByRole('region', { name: 'Complete this quest' }).innerText()).not.toMatch(/wallet|chain/i)
    await checkLooks(page, 'quest-without-wallet')
    await completeQuest(page)
    await page.getByText('On leaderboards:').waitFor()
    const [row] = await service.database.query<{ address: string; username: string }>(
      `SELECT address, username FROM board_entries WHERE points = 50 AND sprint_id = 0`,
    )
    await page.getByText(row?.username ?? '').waitFor()

    await page.getByText('Check an address, and the query of this page').waitFor()
    expect(await page.getByRole('region', { name: 'Check eligibility' }).isVisible()).toBe(false)

    await page.getByRole('link', { name: 'Show my name on leaderboards' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Username')
    await page.getByText(`leaderboards show the code ${row?.username} instead of your name.`).waitFor()
    await page.keyboard.type('mara')
    await page.getByRole('main').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('On leaderboards: mara').waitFor()
    await page.goBack()

    await page.getByRole('link', { name: 'See your rank' }).click()
    const place = page.getByRole('listitem').filter({ hasText: 'Rank 2' })
    await place.getByText('mara').waitFor()
    await place.getByText('50 points', { exact: true }).waitFor()
    await page.locator('.cards li').filter({ hasText: 'Completed 50 points' }).waitFor()
    await page.getByRole('link', { name: 'First lesson' }).click()
    await page.getByRole('definition').filter({ hasText: 'Completed' }).waitFor()
    await page.getByRole('link', { name: 'Your completion' }).waitFor()
    await page.goBack()
    expect(await page.content()).not.toContain(row?.address)
    await checkLooks(page, 'community-member-without-wallet')
    await page.getByRole('link', { name: 'Find me' }).click()
    await page
      .locator('#found')
      .filter({ hasText: 'mara' })
      .filter({ hasText: 'You' })
      .filter({ hasText: '50' })
      .waitFor()
    expect(new URL(page.url()).search).toBe('?find=mara')
    await page.goto(`${issuer}/my`)
    await page.getByText('Rank 2', { exact: true }).waitFor()
    await page.getByText('Only members with a wallet have a public page.').waitFor()
    const onBoard = page.getByRole('link', { name: 'See your place on the public leaderboard' })
    expect(await onBoard.getAttribute('href')).toBe('/s/meridian/me')
    await checkLooks(page, 'my-without-wallet')
    expect(complaints).toEqual([])
  })
})

async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

async function becomeOperator(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('button', { name: 'Become an operator' }).click()
  await page.getByText('Your account is now an operator.').waitFor()
  await checkLooks(page, 'operator-invitation-accepted')
  await page.getByRole('link', { name: 'Create spaces' }).click()
}

/** With its public page and a sprint. */
async function createSpace(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New space' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Meridian')
  await page.getByRole('textbox', { name: 'Public page' }).fill('meridian')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Meridian', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'New sprint' }).click()
  const sprint = page.locator('form.inset')
  await sprint.getByRole('textbox', { name: 'Name' }).fill('Season one')
  await sprint.getByLabel('Start').fill('2026-11-01T00:00')
  await sprint.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('paragraph').getByText('Season one (sprint 1)').waitFor()
}

/** A quiz, and a page to visit. */
async function createCredentials(page: Page): Promise<void> {
  await newCredential(page, 'Pass the quiz', 'QUIZ')
  const question = page.getByRole('group', { name: 'Question 1' })
  await question.getByRole('textbox', { name: 'Question' }).fill('Which flower opens at night?')
  await question.getByRole('textbox', { name: 'Options' }).fill('Rose\nMoonflower')
  await question.getByRole('radio', { name: 'Moonflower' }).check()
  await create(page, 'Pass the quiz')
  await newCredential(page, 'Read the welcome', 'VISIT_LINK')
  await page.getByRole('textbox', { name: 'Address of the page' }).fill(TARGET)
  await create(page, 'Read the welcome')
}

async function newCredential(page: Page, name: string, source: string): Promise<void> {
  await page.getByRole('link', { name: /^(Create a|New) credential$/ }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('combobox', { name: 'Verified by' }).selectOption(source)
  await page
    .getByRole('combobox', { name: 'Holders are' })
    .getByText('All members, with an EVM address or else their account')
    .waitFor({ state: 'attached' })
  expect(await page.getByRole('textbox', { name: 'Link for members' }).count()).toBe(0)
}

async function create(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await backToSpace(page)
}

async function createQuest(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Create a quest' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('First lesson')
  await page.getByLabel('Points for completion').fill('50')
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  for (const [index, name] of ['Pass the quiz', 'Read the welcome'].entries()) {
    await page.getByRole('combobox', { name: 'Credential' }).nth(index).fill(name)
    await page.getByRole('link', { name: 'Create one in a new tab' }).waitFor()
    await page.getByRole('option', { name }).click()
  }
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('“First lesson” is published').waitFor()
  await page.getByRole('button', { name: 'End now' }).waitFor()
  await backToSpace(page)
}

async function awardPoints(page: Page, points: Record<string, number>): Promise<void> {
  await spaceTab(page, 'Points').click()
  const form = page.getByRole('region', { name: 'Award points' })
  const sprint = form.getByRole('combobox', { name: 'Sprint' })
  await page.getByText('This sprint is running.').waitFor()
  expect(await sprint.inputValue()).toBe('1')
  await checkLooks(page, 'points-running-sprint')
  await sprint.selectOption('All time only')
  await page.getByText('The points do not count for the running sprint').waitFor()
  await sprint.selectOption('1')
  for (const [address, count] of Object.entries(points)) {
    await form.getByRole('textbox', { name: 'Member' }).fill(address)
    await form.getByRole('textbox', { name: 'Points' }).fill(String(count))
    await form.getByRole('textbox', { name: 'Reason' }).fill('Founding member')
    await form.getByRole('button', { name: 'Award points' }).click()
    await page.getByText(`${count} points were awarded`).waitFor()
  }
}

async function backToSpace(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: 'Meridian' }).first().click()
  await page.getByRole('heading', { name: 'Meridian', level: 1 }).waitFor()
}

async function completeQuest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Answer the quiz: Pass the quiz' }).click()
  await page.getByRole('radio', { name: 'Moonflower' }).check()
  await page.getByRole('button', { name: 'Send answers' }).click()
  await page.getByRole('button', { name: 'Send answers' }).waitFor({ state: 'detached' })
  await page.getByText('You passed “Pass the quiz”').waitFor()
  const opening = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Visit: Read the welcome' }).click()
  const opened = await opening
  await opened.getByRole('heading', { name: 'Welcome' }).waitFor()
  await opened.close()
  await page.getByRole('button', { name: 'Complete quest', disabled: false }).click()
  await page.getByText('You received 50 points.').waitFor()
  await page.getByRole('heading', { level: 2, name: 'Completed', exact: true }).waitFor()
  // In place of the state of the quest.
  expect(await page.locator('.page-heading .mantine-Badge-root').allInnerTexts()).toEqual(['Completed'])
  await checkLooks(page, 'quest-completed')
}
