import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importRecords } from '../../server/src/ingest/import-records.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { snapshotJob } from '../../server/src/snapshots/job.ts'
import { visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { type OperatorInBrowser, operatorInBrowser } from './operator-in-browser.ts'

const SPACE = 7400
const [FIRST, SECOND, ABSENT] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]

let { world, issuer, profile, operator, close } = {} as OperatorInBrowser

describe.skipIf(findChromium() === undefined)('the members of a snapshot in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, operator, close } = await operatorInBrowser({
      QUESTBOARD_STATEMENT_KEY: `0x${'7'.repeat(64)}`,
    }))
    await importRecords(world, 'spaces', [{ spaceId: SPACE, name: 'Airdrop' }])
    await importRecords(world, 'points', [
      { spaceId: SPACE, address: FIRST, points: 9 },
      { spaceId: SPACE, address: SECOND, points: 5 },
      { spaceId: SPACE, address: 'ann', points: 2 },
    ])
  })
  afterAll(() => close())

  /** @returns the id of the sealed snapshot */
  async function seal(): Promise<string> {
    const request = { spaceId: SPACE }
    const { id } = (await operator.browser.call('POST', '/api/operator/snapshots', request)).json<{ id: string }>()
    const now = world.clock.now()
    const signal = new AbortController().signal
    await snapshotJob({ ...world.deps, log: silentLog }).run({ now, agreedNow: async () => now, signal })
    return id
  }
  const open = async (): Promise<Page> => {
    const { page } = await visit(profile, `${issuer}/content/spaces/${SPACE}/snapshots`)
    await page.getByText('Sealed', { exact: true }).first().waitFor()
    return page
  }

  test('looks up a member with the proof and the signed statement', async () => {
    const id = await seal()
    const page = await open()
    const remove = page.getByRole('button', { name: 'Delete the snapshot of Airdrop' })
    const toggle = page.getByRole('button', { name: 'Look up an address in the snapshot of Airdrop' })
    const distance = async () => (await placeOf(remove)).y - (await placeOf(toggle)).y
    const before = await distance()
    await toggle.click()
    const member = page.getByRole('textbox', { name: 'Address or handle of a member' })
    const find = page.getByRole('button', { name: 'Look up', exact: true })
    const result = page.locator('form.inset .snapshot-member')
    await member.waitFor()
    expect(await distance()).toBe(before)
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await toggle.press('Tab')
      await member.and(page.locator(':focus')).waitFor()
    }
    await page.setViewportSize({ width: 1440, height: 800 })
    expect(await placeOf(find)).toEqual(await placeOf(member))
    await member.fill(SECOND)
    await find.click()
    await result.getByText('Rank 2 · 5 points · In the Merkle tree').waitFor()
    await find.and(page.locator(':focus')).waitFor()
    const path = `/api/operator/snapshots/${id}/members/${SECOND}`
    const { proof } = (await operator.browser.get(path)).json<{ proof: string[] }>()
    await result.getByText(JSON.stringify(proof)).waitFor()
    await result.getByRole('button', { name: 'Copy Merkle proof' }).waitFor()
    const jwt = await result.getByText(/^ey[\w-]+\.[\w-]+\.[\w-]+$/).innerText()
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as object
    expect(claims).toMatchObject({ sub: SECOND, snapshot: id, rank: 2, points: 5 })
    const typed = await result.getByText(/"primaryType"/).innerText()
    expect(JSON.parse(typed)).toMatchObject({ message: { account: SECOND, rank: '2', points: '5' } })
    await checkLooks(page, 'snapshot-member')

    await member.fill('ann')
    await find.click()
    await result.getByText('Rank 3 · 2 points · No EVM address: not in the Merkle tree').waitFor()
    await result.getByText('ann', { exact: true }).waitFor()
    expect(await result.getByText('Merkle proof').count()).toBe(0)
    await member.fill(ABSENT)
    await find.click()
    await page.getByText('No member of the snapshot has this address.').waitFor()
    expect(await placeOf(find)).toEqual(await placeOf(member))
    await checkLooks(page, 'snapshot-member-absent')
    await member.fill('0x12')
    await find.click()
    await page.getByText('No member of the snapshot has this address.').waitFor({ state: 'detached' })
    await member.and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByText('Enter a whole wallet address, an email address or a handle.').waitFor()
  })
})

/** The vertical place in the window. */
async function placeOf(element: Locator): Promise<{ y: number; height: number }> {
  const { y, height } = (await element.boundingBox()) ?? { y: NaN, height: NaN }
  return { y: Math.round(y), height: Math.round(height) }
}
