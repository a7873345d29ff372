import { afterAll, expect, test } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { startUploads } from '../../support/uploads.ts'

const { world, operator, upload } = await startUploads()
afterAll(() => world.stop())

interface Page {
  events: { event: string; details: Record<string, string> }[]
  usernames: Record<string, string>
  spaceNames: Record<string, string>
  bans: Record<string, { accountId: string | null; address: string | null }>
  fileNames: Record<string, string>
}

const { id: accountId, username } = operator.account
const log = async () => (await operator.browser.get('/api/operator/audit')).json<Page>()
const ban = async (body: object) =>
  (await operator.browser.call('POST', '/api/operator/bans', { reason: 'Bots', ...body })).json<{ id: string }>().id

test('the log has the names of its bans, files, spaces and accounts, but not in the details', async () => {
  const ofAccount = await ban({ account: username, spaceId: 40 })
  const address = `0x${'a'.repeat(40)}`
  const ofAddress = await ban({ address })
  const { id } = (await upload('spaceId,name\n902,Good\n', 'spaces.csv')).body
  const page = await log()
  expect(page.bans).toEqual({
    [ofAccount]: { accountId, address: null },
    [ofAddress]: { accountId: null, address },
  })
  expect(page.fileNames).toEqual({ [id]: 'spaces.csv' })
  expect(page.spaceNames).toEqual({ 40: 'Aurora Guild' })
  expect(page.usernames).toEqual({ [accountId]: username })
  expect(JSON.stringify(page.events)).not.toMatch(new RegExp(`${address}|spaces.csv`))
})

test('the log has no name of a deleted space', async () => {
  const made = await operator.browser.call('POST', '/api/spaces', { name: 'Harbour' })
  const { spaceId } = made.json<{ spaceId: number }>()
  expect((await log()).spaceNames).toMatchObject({ [spaceId]: 'Harbour' })
  expect((await operator.browser.call('DELETE', `/api/spaces/${spaceId}`)).statusCode).toBeLessThan(300)
  expect((await log()).spaceNames).not.toHaveProperty(String(spaceId))
})

test('the log has the names of spaces with long ids', async () => {
  await importRecords(world, 'spaces', [{ spaceId: 2147483647, name: 'Last' }])
  await operator.browser.call('POST', '/api/spaces/2147483647/awards', { address: 'ann', points: 5, reason: 'Meetup' })
  expect((await log()).spaceNames).toMatchObject({ 2147483647: 'Last' })
})
