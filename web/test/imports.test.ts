import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importJob } from '../../server/src/ingest-uploads/job.ts'
import { undoImportsJob } from '../../server/src/ingest-uploads/undo.ts'
import type { Job } from '../../server/src/jobs/jobs.ts'
import { FRESH_SIGN_IN } from '../../server/src/lifetimes.ts'
import { NOW, type World } from '../../server/test/support/fixture.ts'
import { visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { checkLooks } from './looks.ts'
import { operatorInBrowser, type OperatorInBrowser } from './operator-in-browser.ts'

let world: World
let issuer: string
let close: OperatorInBrowser['close']
let operator: OperatorInBrowser['operator']
let profile: BrowserContext

/** Drops a file onto the area of the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))
    return transfer
  })()`)
  await page.locator('.file-drop').dispatchEvent('dragover', { dataTransfer })
  await page.locator('.file-drop').dispatchEvent('drop', { dataTransfer })
}

async function work(job: Job = importJob(world.deps)): Promise<void> {
  const signal = AbortSignal.timeout(30_000)
  while ((await job.run({ now: NOW, agreedNow: async () => NOW, signal })) === 0);
  await job.stop?.()
}

describe.skipIf(findChromium() === undefined)('imports in a browser', () => {
  beforeAll(async () => {
    ;({ world, issuer, profile, operator, close } = await operatorInBrowser())
  })
  afterAll(() => close())

  it('shows the faults of a dropped file, and stores a file after its check', { timeout: 180_000 }, async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/import`)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download a template: Quests' }).click()
    expect((await download).suggestedFilename()).toBe('quests.csv')

    await drop(page, 'spaces.csv', 'spaceId,name,nickname\n900,Good,G\nx,Bad,B\n')
    await page.getByText(/^spaces.csv \(/).waitFor()
    await page.getByRole('button', { name: 'Upload and check' }).click()
    await page.getByRole('heading', { name: 'spaces.csv' }).waitFor()
    await page.getByText('The import continues if you leave this page.').waitFor()
    await work()
    await page.getByText('Nothing was imported').waitFor()
    await page.getByRole('cell', { name: 'nickname' }).first().waitFor()
    await page.locator('.preview-fault').waitFor()
    await checkLooks(page, 'operator-import-refused')

    await page.getByRole('link', { name: 'Import another file' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'more-spaces.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('spaceId,name\n900,Good\n901,Good too\n40,Renamed\n'),
    })
    await page.getByRole('button', { name: 'Upload and check' }).click()
    await page.getByRole('heading', { name: 'more-spaces.csv' }).waitFor()
    await page.goto(`${issuer}/operator/import`)
    await work()
    await page.getByText('2 new, 1 changed, 0 unchanged').waitFor()
    await checkLooks(page, 'operator-import')
    await page.getByRole('link', { name: 'more-spaces.csv' }).click()
    await page.getByText('Needs confirmation').waitFor()
    await checkLooks(page, 'operator-import-checked')
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Store' }).click()
    await page.getByText('You can leave this page').waitFor()
    await work()
    await page.getByText('Spaces: 3 lines imported').waitFor()
    await checkLooks(page, 'operator-import-stored')
    expect(complaints).toEqual([])
  })

  it('undoes a stored import of points, and shows that', { timeout: 120_000 }, async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/import`)
    await drop(page, 'workshop.csv', `key,spaceId,address,points\nworkshop-1,40,0x${'5c'.repeat(20)},7\n`)
    await page.getByRole('button', { name: 'Upload and check' }).click()
    await page.getByRole('heading', { name: 'workshop.csv' }).waitFor()
    await work()
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Store' }).click()
    await page.getByText('You can leave this page').waitFor()
    await work()
    const done = page.getByRole('status').filter({ hasText: 'Awards: 1 line imported' })
    await done.waitFor()
    expect(await done.locator('.mantine-Alert-message').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
    await page.getByText('The entries are being undone. You can leave this page.').waitFor()
    await work(undoImportsJob(world.deps))
    await page.getByRole('heading', { name: 'Undone' }).waitFor()
    expect(await page.getByText('Stored', { exact: true }).count()).toBe(0)
    await checkLooks(page, 'operator-import-undone')
    await page.getByRole('link', { name: 'Import another file' }).click()
    await page.getByRole('listitem').filter({ hasText: 'workshop.csv' }).getByText('Undone', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('names the columns of a spreadsheet without a kind, in words of the page', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/import`)
    await drop(page, 'tea.csv', 'space;member;points\nTea House;mara;20\n')
    await page.getByRole('button', { name: 'Upload and check' }).click()
    await page.getByRole('heading', { name: 'tea.csv' }).waitFor()
    await work()
    await page.getByText('The most similar content is Points.').waitFor()
    expect(await page.getByText('--kind').count()).toBe(0)
    await page.getByRole('columnheader', { name: 'member Not a field of this kind' }).waitFor()
    await page.getByRole('cell', { name: 'mara' }).waitFor()
    await checkLooks(page, 'operator-import-unknown')
    expect(complaints).toEqual([])
  })

  it('undoes a file of awards, and shows that their keys stay used', { timeout: 180_000 }, async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/import`)
    const upload = async () => {
      const awards = Array.from({ length: 1200 }, (_, i) => `40,member-${i},5,key-${i}`).join('\n')
      await drop(page, 'awards.csv', `spaceId,address,points,key\n${awards}\n`)
      await page.getByRole('button', { name: 'Upload and check' }).click()
      await page.getByRole('heading', { name: 'awards.csv' }).waitFor()
      await work()
      await page.getByText('Needs confirmation').waitFor()
    }
    await upload()
    await page.getByText('1,200 new members are not named by an address').waitFor()
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Store' }).click()
    await page.getByText('You can leave this page').waitFor()
    await work()
    await page.getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('dialog').getByText('The keys of its awards stay used').waitFor()
    await checkLooks(page, 'operator-import-undo-question')
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
    await page.getByText('The entries are being undone').waitFor()
    await work(undoImportsJob(world.deps))
    await page.getByText(/^Undone by /).waitFor()
    await page.getByRole('link', { name: 'Data of an address' }).waitFor()
    await page.locator('dd').getByText('1,200').first().waitFor()
    await checkLooks(page, 'operator-import-undone')

    await page.getByRole('link', { name: 'Import another file' }).click()
    await upload()
    await page.getByText('1,200 awards were undone before').waitFor()
    await page.getByText('give the lines other keys').waitFor()
    await checkLooks(page, 'operator-import-undone-before')
    await page.getByRole('button', { name: 'Cancel the import' }).click()
    expect(complaints).toEqual([])
  })

  it('counts the awards for banned members, before and after it stores them', { timeout: 120_000 }, async () => {
    const ban = { address: 'zoe', reason: 'Bots' }
    expect((await operator.browser.call('POST', '/api/operator/bans', ban)).statusCode).toBe(201)
    const { page, complaints } = await visit(profile, `${issuer}/operator/import`)
    await drop(page, 'meetup.csv', 'key,spaceId,address,points\nmeetup-1,40,zoe,7\nmeetup-2,40,ann,3\n')
    await page.getByRole('button', { name: 'Upload and check' }).click()
    await page.getByRole('heading', { name: 'meetup.csv' }).waitFor()
    await work()
    const notice = page.getByRole('status').filter({ hasText: '1 award is for a banned member' })
    await notice.getByText('The points count when the ban ends.').waitFor()
    await checkLooks(page, 'operator-import-banned')
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Store' }).click()
    await page.getByText('You can leave this page').waitFor()
    await work()
    await page.getByText('Awards: 2 lines imported').waitFor()
    await notice.waitFor()
    expect(complaints).toEqual([])
  })

  it('asks for a new sign-in before it sends a file, and keeps the file', async () => {
    const { page, complaints } = await visit(profile, `${issuer}/operator/import`)
    await drop(page, 'spaces.csv', 'spaceId,name\n902,Late\n')
    await page.getByText(/^spaces.csv \(/).waitFor()
    world.clock.advance(FRESH_SIGN_IN + 1)
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.getByRole('button', { name: 'Upload and check' }).click()
    const link = page.getByRole('link', { name: 'Sign in again' })
    expect(await link.getAttribute('target')).toBe('_blank')
    await page.getByText('your input stays here').waitFor()
    expect(sent.filter((url) => url.includes('/imports/uploads'))).toEqual([])
    expect(await page.getByText(/^spaces.csv \(/).count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Upload and check' }).isEnabled()).toBe(true)
    await checkLooks(page, 'operator-import-old-sign-in')
    expect(complaints).toEqual([])
  })
})
