import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { setSource } from '../../server/src/sync/set-source.ts'
import { signedInBrowser } from '../../server/test/support/oauth-flow.ts'
import { type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'
import { actAs } from './signed-in.ts'

const SPACE = 9301
const QUIZ = '9301'
const LIST = '9302'
const space = `/content/spaces/${SPACE}`

let { world, issuer, profile, operator, close } = {} as OperatorInBrowser
let here: Visit

/** Presses Enter on a button. */
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter')

/** The same, with a confirmation. */
async function confirm(page: Page, name: string, action = name): Promise<void> {
  await press(page, name)
  const dialog = page.getByRole('dialog')
  // The dialog takes the focus a moment after it opens. Enter before that would press this button.
  await dialog.locator('[data-autofocus]:focus').waitFor()
  await dialog.getByRole('button', { name: action, exact: true }).press('Enter')
}

async function createSnapshot(page: Page): Promise<void> {
  await press(page, 'Preview')
  await press(page, 'Create snapshot')
}

/** The element with the focus: its kind and its name, or else its text. */
const focused = () =>
  here.page.evaluate<string>(`(() => {
    const { activeElement: place } = document
    const named = place.labels?.[0] ?? place.querySelector('legend') ?? place
    return place.localName + ': ' + (place.ariaLabel ?? named.textContent).trim()
  })()`)

interface Case {
  path: string
  act: (page: Page) => Promise<void>
  place: RegExp
}

const afterRequests: Record<string, Case> = {
  'Publish of a quest': {
    path: '/content/quests/GCdraft',
    act: (page) => confirm(page, 'Publish'),
    place: /^h2: Publication$/,
  },
  'Make private of a quest': {
    path: '/content/quests/GCopen',
    act: (page) => confirm(page, 'Make private'),
    place: /^button: Make public$/,
  },
  'Unpublish of a space': {
    path: `${space}/settings`,
    act: (page) => confirm(page, 'Unpublish'),
    place: /^h2: Public page$/,
  },
  'Create of a sprint': {
    path: space,
    async act(page) {
      await press(page, 'New sprint')
      await page.keyboard.type('Autumn tide')
      await page.keyboard.press('Enter')
    },
    place: /^button: New sprint$/,
  },
  'Delete in a list': {
    path: space,
    act: (page) => confirm(page, 'Delete Spring tide', 'Delete'),
    place: /^li: Summer tide/,
  },
  'Delete of the last entry of a list': {
    path: `${space}/snapshots`,
    act: (page) => confirm(page, 'Delete the snapshot of Cove', 'Delete'),
    place: /^h2: All snapshots$/,
  },
  'Create snapshot': {
    path: `${space}/snapshots`,
    act: createSnapshot,
    place: /^h2: New snapshot$/,
  },
  'Lift of a ban': {
    path: '/operator/bans',
    act: (page) => confirm(page, 'Lift the ban of bot@example.com', 'Lift'),
    place: /^li: spam@example.com/,
  },
  'Undo of an entry': {
    path: `${space}/points`,
    async act(page) {
      const entry = page.getByRole('listitem').filter({ hasText: 'Sent twice' })
      await entry.getByRole('button', { name: /^Undo entry/ }).press('Enter')
      await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('Wrong')
      await page.keyboard.press('Enter')
    },
    place: /^li: \+?3.*Undone.*Sent twice/,
  },
  'Complete quest': {
    path: '/explore/quests/GCready',
    act: (page) => press(page, 'Complete quest'),
    place: /^div: You have completed this quest/,
  },
}

const atOnce: Record<string, Case> = {
  'New sprint': { path: space, act: (page) => press(page, 'New sprint'), place: /^input: Name/ },
  'Cancel of a new object': {
    path: space,
    async act(page) {
      await press(page, 'New sprint')
      await press(page, 'Cancel')
    },
    place: /^button: New sprint$/,
  },
  'Cancel in a list': {
    path: space,
    async act(page) {
      await press(page, 'Edit Summer tide')
      await press(page, 'Cancel')
    },
    place: /^button: Edit Summer tide$/,
  },
  'the button of a proposed address': {
    path: '/content',
    async act(page) {
      await press(page, 'New space')
      await page.keyboard.type('Meridian')
      await press(page, 'Use “meridian”')
    },
    place: /^input: Public page/,
  },
  'Remove question': {
    path: `/content/credentials/${QUIZ}`,
    act: (page) => press(page, 'Remove question 1'),
    place: /^fieldset: Question 1$/,
  },
  'Remove question of the last one': {
    path: `/content/credentials/${QUIZ}`,
    act: (page) => press(page, 'Remove question 2'),
    place: /^fieldset: Question 1$/,
  },
  'Remove question of an added one': {
    path: `/content/credentials/${QUIZ}`,
    async act(page) {
      await press(page, 'Add question')
      await press(page, 'Remove question 3')
    },
    place: /^fieldset: Question 2$/,
  },
  'Remove question of all': {
    path: `/content/credentials/${QUIZ}`,
    async act(page) {
      await press(page, 'Remove question 2')
      await press(page, 'Remove question 1')
    },
    place: /^button: Add question$/,
  },
  'Remove of an added rule': {
    path: `${space}/rules`,
    async act(page) {
      await press(page, 'Add rule')
      await press(page, 'Add rule')
      await press(page, 'Remove rule claim-2')
    },
    place: /^li: /,
  },
  'Remove of the only rule': {
    path: `${space}/rules`,
    async act(page) {
      await press(page, 'Add rule')
      await press(page, 'Remove rule claim')
    },
    place: /^button: Add rule$/,
  },
  'Remove of an added group': {
    path: '/content/quests/GCquiz',
    async act(page) {
      await press(page, 'Add another group')
      await page.getByRole('group', { name: 'Group 2' }).getByRole('button', { name: 'Remove group' }).press('Enter')
    },
    place: /^fieldset: Lesson$/,
  },
  'Remove of the only stored condition': {
    path: '/content/quests/GCquiz',
    act: (page) => press(page, 'Remove condition 1'),
    place: /^button: Add condition$/,
  },
  'Remove of the only stored group': {
    path: '/content/quests/GCquiz',
    act: (page) => press(page, 'Remove group'),
    place: /^button: Add condition$/,
  },
  'Remove of the only stored header': {
    path: `/content/credentials/${LIST}`,
    async act(page) {
      await page.getByText('More settings').click()
      await press(page, 'Remove header 1')
    },
    place: /^button: Add header$/,
  },
  'Remove of an added header': {
    path: `/content/credentials/${LIST}`,
    async act(page) {
      await page.getByText('More settings').click()
      await press(page, 'Add header')
      await press(page, 'Remove header 2')
    },
    place: /^li: /,
  },
  'Remove of an added condition after a choice in its picker': {
    path: '/content/quests/GCquiz',
    async act(page) {
      await press(page, 'Add condition')
      const field = page.getByRole('combobox', { name: 'Credential' }).last()
      await field.press('ArrowDown')
      await page.locator('.picker-option').first().waitFor()
      await field.press('Enter')
      await press(page, 'Remove condition 2')
    },
    place: /^li: /,
  },
  'Remove of the only group': {
    path: '/content/quests/GCopen',
    async act(page) {
      await press(page, 'Add condition')
      await press(page, 'Add another group')
      const remove = page.getByRole('group', { name: 'Group 1' }).getByRole('button', { name: 'Remove group' })
      for (let n = 0; n < 2; n++) await remove.press('Enter')
    },
    place: /^button: Add condition$/,
  },
  'Answer the quiz': {
    path: '/explore/quests/GCquiz',
    act: (page) => press(page, 'Answer the quiz: Pass the quiz'),
    place: /^input: Ebb/,
  },
}

describe.skipIf(findChromium() === undefined)('the focus of the keyboard in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, operator, close } = await operatorInBrowser())
    const { deps } = world
    const quest = { spaceId: SPACE, type: 'Points', loyaltyPoints: 5 } as const
    const conditions = [{ expression: 'Pass the quiz', credentialId: QUIZ }]
    const quiz = [{ id: 'g1', name: 'Lesson', conditionRelation: 'ALL' as const, conditions, rewards: [] }]
    await importRecords(deps, 'spaces', [{ spaceId: SPACE, name: 'Cove' }])
    await importRecords(deps, 'sprints', [
      { spaceId: SPACE, sprintId: 1, name: 'Spring tide' },
      { spaceId: SPACE, sprintId: 2, name: 'Summer tide' },
    ])
    await importRecords(deps, 'awards', [
      { key: 'one', spaceId: SPACE, address: 'ruth', points: 5, reason: 'Welcome' },
      { key: 'two', spaceId: SPACE, address: 'ruth', points: 3, reason: 'Sent twice' },
    ])
    await importRecords(deps, 'credentials', [
      { id: QUIZ, name: 'Knows the tides', credType: 'EVM_ADDRESS', credSource: 'QUIZ', curatorSpaceId: SPACE },
      { id: LIST, name: 'Members of the club', credType: 'EVM_ADDRESS', credSource: 'REST', curatorSpaceId: SPACE },
    ])
    const tide = { question: 'Which tide?', type: 'single', options: ['Ebb', 'Flood'], answers: ['Ebb'] }
    await setSource(deps, QUIZ, { kind: 'QUIZ', questions: [tide, { ...tide, question: 'Which moon?' }] })
    const headers = { authorization: 'Bearer key' }
    await setSource(deps, LIST, { kind: 'REST', url: 'https://example.com/holders', headers })
    await importRecords(deps, 'quests', [
      { ...quest, id: 'GCdraft', name: 'Draft', status: 'Draft', autoStatus: false },
      { ...quest, id: 'GCopen', name: 'Open', status: 'Active' },
      { ...quest, id: 'GCready', name: 'Ready', status: 'Active' },
      { ...quest, id: 'GCquiz', name: 'Quiz', status: 'Active', credentialGroups: quiz },
    ])
    const { version } = (await operator.browser.get(`/api/spaces/${SPACE}`)).json<{ version: string }>()
    await operator.browser.call('PATCH', `/api/spaces/${SPACE}`, { version, slug: 'cove' })
    for (const address of ['spam@example.com', 'bot@example.com'])
      await operator.browser.call('POST', '/api/operator/bans', { address, reason: 'Bots' })
    await operator.browser.call('POST', `/api/operator/snapshots`, { spaceId: SPACE })
  }, 180_000)
  afterAll(() => close())
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  test.each(Object.entries(afterRequests))('stays near the button after %s', async (_, { path, act, place }) => {
    here = await visit(profile, issuer + path)
    await act(here.page)
    await expect.poll(focused).toMatch(place)
  })

  test.each(Object.entries(atOnce))('moves to the next place with %s', async (_, { path, act, place }) => {
    here = await visit(profile, issuer + path)
    await act(here.page)
    await expect.poll(focused).toMatch(place)
  })

  it('leads to the message for a new operator', async () => {
    const { url } = (await operator.browser.call('POST', '/api/operator/invitations')).json<{ url: string }>()
    await actAs(profile, issuer, await signedInBrowser(world.app))
    here = await visit(profile, url)
    await press(here.page, 'Become an operator')
    await expect.poll(focused).toBe('div: Your account is now an operator.')
    await here.page.keyboard.press('Tab')
    expect(await focused()).toBe('a: Create spaces')
    await actAs(profile, issuer, operator)
  })

  it('moves to the other condition of a group, and from the only one to the button of its own group', async () => {
    here = await visit(profile, `${issuer}/content/quests/GCquiz`)
    const { page } = here
    await press(page, 'Add another group')
    const group = page.getByRole('group', { name: 'Group 2' })
    const pressIn = (name: string) => group.getByRole('button', { name }).press('Enter')
    const conditions = group.getByRole('list', { name: 'Conditions' })
    await pressIn('Remove condition 1')
    await pressIn('Add reward')
    await pressIn('Add condition')
    await pressIn('Add condition')
    await pressIn('Remove condition 2')
    await conditions.getByRole('listitem').and(page.locator(':focus')).waitFor()
    await pressIn('Remove condition 1')
    await group.getByRole('button', { name: 'Add condition' }).and(page.locator(':focus')).waitFor()
  })

  it('stays where the user has moved it while a request ran', async () => {
    here = await visit(profile, issuer + space)
    const { page } = here
    let answer = () => {}
    const allowed = new Promise<void>((resolve) => (answer = resolve))
    await page.route(`**/api/spaces/${SPACE}/sprints/2`, async (route) => {
      await allowed
      await route.continue()
    })
    await confirm(page, 'Delete Summer tide', 'Delete')
    await expect.poll(focused).toBe('button: Delete Summer tide')
    await page.getByRole('button', { name: 'New sprint' }).focus()
    answer()
    await page.getByText('“Summer tide” was deleted').waitFor()
    await page.getByRole('button', { name: 'Delete Summer tide' }).waitFor({ state: 'detached' })
    expect(await focused()).toBe('button: New sprint')
  })

  it('does not scroll to a heading above the window', async () => {
    here = await visit(profile, `${issuer}${space}/snapshots`)
    const { page } = here
    await page.setViewportSize({ width: 1280, height: 240 })
    await createSnapshot(page)
    await expect.poll(focused).toBe('h2: New snapshot')
    const { y = 0 } = (await page.getByRole('heading', { name: 'New snapshot' }).boundingBox()) ?? {}
    expect(y).toBeLessThan(0)
  })
})
