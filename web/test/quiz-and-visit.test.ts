import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setOperator } from '../../server/src/accounts/account.queries.ts'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import { NOW, startWorld, type World } from '../../server/test/support/fixture.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { freePort } from '../../server/test/support/oauth-service.ts'
import { openBrowser, openProfile, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { actAs } from './signed-in.ts'

const SPACE = 9201
const QUEST = 'GCquizvis1'
const TARGET = 'https://welcome.example/start'

let world: World
let issuer: string
let browser: Browser

/** A profile of a signed-in account, whose clock is that of the service. */
async function openAs(operator: boolean): Promise<BrowserContext> {
  const profile = await openProfile(browser, { width: 1280, scheme: 'light' })
  await profile.clock.setFixedTime(NOW)
  const who = await signedInBrowser(world.app)
  if (operator) await setOperator(world.database.kysely, who.account.id, new Date(NOW))
  await actAs(profile, issuer, who)
  return profile
}

describe.skipIf(findChromium() === undefined)('a quiz and a visit in a browser', () => {
  beforeAll(async () => {
    const port = await freePort()
    issuer = `http://localhost:${port}`
    const settings = {
      QUESTBOARD_DATA_DIR: '/nonexistent/questboard',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      QUESTBOARD_PUBLIC_URL: issuer,
    }
    world = await startWorld({ port, settings })
    const common = { credType: 'EVM_ADDRESS', curatorSpaceId: SPACE }
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Academy' }])
    await importRecords(world.deps, 'credentials', [
      { id: '9201', name: 'Knows the garden', credSource: 'QUIZ', ...common },
      { id: '9202', name: 'Read the welcome', credSource: 'VISIT_LINK', ...common },
    ])
    const conditions = [
      { expression: 'Pass the quiz', credentialId: '9201' },
      { expression: 'Read the welcome page', credentialId: '9202' },
    ]
    const group = { id: 'g1', name: 'Lesson', conditionRelation: 'ALL' as const, conditions, rewards: [] }
    await importRecords(world.deps, 'quests', [
      { id: QUEST, spaceId: SPACE, name: 'First lesson', type: 'Points', loyaltyPoints: 30, credentialGroups: [group] },
    ])
    browser = await openBrowser()
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })

  test('come from an operator, who never sees the answers again', { timeout: 180_000 }, async () => {
    const profile = await openAs(true)
    const { page, complaints } = await visit(profile, `${issuer}/content/credentials/9201`)
    const first = page.getByRole('group', { name: 'Question 1' })
    await first.getByRole('textbox', { name: 'Question' }).fill('Which flower opens at night?')
    await first.getByRole('textbox', { name: 'Options' }).fill('Rose\nMoonflower\n\nTulip')
    await page.getByRole('button', { name: 'Save quiz' }).click()
    await first.getByText('Choose the correct answer.').waitFor()
    await first.getByRole('radio', { name: 'Moonflower' }).check()
    await page.getByRole('button', { name: 'Add question' }).click()
    const second = page.getByRole('group', { name: 'Question 2' })
    await second.getByRole('combobox', { name: 'Answer' }).selectOption('several')
    await second.getByRole('textbox', { name: 'Question' }).fill('What does a plant need?')
    await second.getByRole('textbox', { name: 'Options' }).fill('Water\nLight\nNoise')
    for (const option of ['Water', 'Light']) await second.getByRole('checkbox', { name: option }).check()
    await page.getByRole('button', { name: 'Add question' }).click()
    const third = page.getByRole('group', { name: 'Question 3' })
    await third.getByRole('combobox', { name: 'Answer' }).selectOption('text')
    await third.getByRole('textbox', { name: 'Question' }).fill('Who keeps the garden?')
    await third.getByRole('textbox', { name: 'Accepted answers' }).fill('Iris\nIris Green')
    await page.getByRole('textbox', { name: 'Attempts' }).fill('2')
    await checkLooks(page, 'quiz-source-new')
    await page.getByRole('button', { name: 'Save quiz' }).click()
    await page.getByText('Saved answers are hidden. Keep them, or enter new ones.').nth(2).waitFor()
    await checkLooks(page, 'quiz-source')

    await first.getByRole('textbox', { name: 'Question' }).fill('Which flower opens in the evening?')
    await page.getByRole('button', { name: 'Save quiz' }).click()
    await page.getByText('Changes saved').first().waitFor()
    await page.reload()
    expect(await first.getByRole('textbox', { name: 'Question' }).inputValue()).toBe(
      'Which flower opens in the evening?',
    )
    expect(await page.content()).not.toContain('Iris Green')

    await page.goto(`${issuer}/content/credentials/9202`)
    const target = page.getByRole('textbox', { name: 'Address of the page' })
    await target.fill('http://welcome.example/')
    await page.getByRole('button', { name: 'Save page' }).click()
    await page.getByText('Enter an address that begins with https://.').waitFor()
    await target.fill(TARGET)
    await page.getByRole('button', { name: 'Save page' }).click()
    await page.getByText('Changes saved').first().waitFor()
    await checkLooks(page, 'visit-source')
    expect(complaints).toEqual([])
    await profile.close()
  })

  test('an operator tries and removes them', { timeout: 180_000 }, async () => {
    await setQuiz()
    const profile = await openAs(true)
    await profile.route(`${TARGET}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Welcome</h1>' }))
    const { page, complaints } = await visit(profile, `${issuer}/content/credentials/9201`)
    const preview = page.getByRole('group', { name: 'Preview' })
    const first = page.getByRole('group', { name: 'Question 1' })
    const question = first.getByRole('textbox', { name: 'Question' })
    await question.fill('')
    await page.getByRole('button', { name: 'Preview' }).click()
    await first.getByText('Enter the question.').waitFor()
    expect(await preview.count()).toBe(0)
    await question.fill('Which flower opens late?')
    await page.getByRole('button', { name: 'Preview' }).click()
    await preview.getByText('You pass with 2 of 2 correct answers. 2 attempts left.').waitFor()
    await preview.getByRole('radiogroup', { name: 'Which flower opens late?' }).waitFor()
    await fillIn(preview, 'Rose')
    expect(await preview.getByRole('radio', { name: 'Rose' }).isChecked()).toBe(true)
    await checkLooks(page, 'quiz-preview')
    await question.fill('Which flower opens at noon?')
    await preview.waitFor({ state: 'detached' })
    expect(await world.database.query('SELECT FROM quiz_attempts')).toEqual([])

    await page.getByRole('button', { name: 'Remove quiz' }).click()
    const asking = page.getByRole('dialog')
    await asking.getByText('The questions and the counted attempts are deleted. The holders stay.').waitFor()
    await asking.getByRole('button', { name: 'Remove quiz' }).click()
    await page.getByText('The quiz was removed').waitFor()
    await page.getByRole('button', { name: 'Remove quiz' }).waitFor({ state: 'detached' })
    expect(await question.inputValue()).toBe('')
    await page.reload()
    await question.waitFor()
    expect(await question.inputValue()).toBe('')

    await page.goto(`${issuer}/content/credentials/9202`)
    const opening = profile.waitForEvent('page')
    await page.getByRole('link', { name: 'Open the page' }).click()
    const opened = await opening
    await opened.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect([opened.url(), await opened.evaluate('document.referrer')]).toEqual([TARGET, ''])
    await opened.close()
    await page.getByRole('textbox', { name: 'Address of the page' }).fill('http://welcome.example/')
    expect(await page.getByRole('link', { name: 'Open the page' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove page' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove page' }).click()
    await page.getByText('The page was removed').waitFor()
    expect(await page.getByRole('textbox', { name: 'Address of the page' }).inputValue()).toBe('')
    expect(await world.database.query('SELECT FROM credential_sources')).toEqual([])
    expect(complaints).toEqual([])
    await profile.close()
  })

  test('let a member complete a quest', { timeout: 180_000 }, async () => {
    await setQuiz()
    const profile = await openAs(false)
    await profile.route(`${TARGET}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Welcome</h1>' }))
    const { page, complaints } = await visit(profile, `${issuer}/explore/quests/${QUEST}`)
    const { y = 0, height = 0 } = (await page.getByRole('button', { name: /^Answer the quiz/ }).boundingBox()) ?? {}
    const below = (await page.getByRole('button', { name: /^Visit/ }).boundingBox())?.y ?? 0
    expect(below - y - height, 'space between the buttons of two conditions').toBeGreaterThanOrEqual(4)
    await page.getByRole('button', { name: 'Answer the quiz: Pass the quiz' }).click()
    await page.getByText('You pass with 2 of 2 correct answers.').waitFor()
    await page.getByText('2 attempts left').waitFor()
    expect(await page.getByRole('button', { name: 'Send answers' }).isDisabled()).toBe(true)
    await fillIn(page, 'Rose')
    await checkLooks(page, 'quiz-answers')
    await page.getByRole('button', { name: 'Send answers' }).click()
    await page.getByText('Not passed: 1 of 2 answers are correct.').waitFor()
    await page.getByText('1 attempt left').waitFor()
    await checkLooks(page, 'quiz-not-passed')
    await fillIn(page, 'Moonflower')
    await page.getByText('Not passed').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send answers' }).click()
    await page.getByRole('button', { name: 'Send answers' }).waitFor({ state: 'detached' })

    const opening = profile.waitForEvent('page')
    await page.getByRole('button', { name: 'Visit: Read the welcome page' }).click()
    const opened = await opening
    await opened.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect([opened.url(), await opened.evaluate('document.referrer')]).toEqual([TARGET, ''])
    await opened.close()
    await page.getByRole('button', { name: 'Complete quest', disabled: false }).click()
    await page.getByText('You received 30 points.').waitFor()
    await checkLooks(page, 'quiz-and-visit-completed')
    expect(complaints).toEqual([])

    await page.goto(`${issuer}/visit?link=forged`)
    await page.getByRole('heading', { name: 'The visit does not count' }).waitFor()
    await checkLooks(page, 'visit-refused')
    await profile.close()
  })

  test('show when the next attempt is, once none is left', { timeout: 120_000 }, async () => {
    await setQuiz(1)
    const profile = await openAs(false)
    const { page } = await visit(profile, `${issuer}/explore/quests/${QUEST}`)
    await page.getByRole('button', { name: 'Answer the quiz: Pass the quiz' }).click()
    await fillIn(page, 'Rose')
    const { promise: responds, resolve: respond } = Promise.withResolvers<void>()
    await page.route('**/attempts', async (route) => {
      await responds
      await route.continue()
    })
    await page.getByRole('button', { name: 'Send answers' }).click()
    await page.getByRole('radio', { name: 'Tulip' }).check()
    respond()
    await page.getByText(/You have no attempt left\. Next attempt: .*2026/).waitFor()
    expect(await page.getByRole('button', { name: 'Send answers' }).count()).toBe(0)
    // These answers were not sent.
    expect(await page.getByText('Not passed').count()).toBe(0)
    await checkLooks(page, 'quiz-no-attempt')
    await profile.close()
  })
})

async function setQuiz(attempts = 2): Promise<void> {
  const options = ['Rose', 'Moonflower', 'Tulip']
  const flower = { question: 'Which flower opens at night?', type: 'single', options, answers: ['Moonflower'] }
  const keeper = { question: 'Who keeps the garden?', type: 'text', answers: ['Iris'] }
  await setSource(world.deps, '9201', { kind: 'QUIZ', questions: [flower, keeper], attempts })
  await setSource(world.deps, '9202', { kind: 'VISIT_LINK', target: TARGET })
}

async function fillIn(page: Pick<Page, 'getByRole'>, flower: string): Promise<void> {
  await page.getByRole('radio', { name: flower }).check()
  await page.getByRole('textbox', { name: 'Who keeps the garden?' }).fill(' IRIS ')
}
