import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { builtManual } from '../../../manual/test/build.ts'
import { createManualSearch } from '../../src/manual/search.ts'

const search = createManualSearch(builtManual(), 'https://quests.example.org')
const empty = mkdtempSync(join(tmpdir(), 'manual-'))
afterAll(() => rmSync(empty, { recursive: true }))

it.each([
  ['ban an account', 'Bans'],
  ['QUOTA_EXCEEDED', 'Errors'],
  ['rotate signing key', 'Security'],
  ['back up and restore the database', 'Backup and restore'],
  ['refresh token oauth', 'OAuth 2.0'],
])('finds the page for "%s"', async (words, page) => {
  expect((await search(words, 5)).map((section) => section.page)).toContain(page)
})

// The changelog is one long section with most of the words.
it.each([
  ['points of a banned member', 'Bans'],
  ['webhook that is disabled', 'Webhooks'],
  ['codes of the JSON API', 'Errors'],
])('puts the page for "%s" before the changelog', async (words, page) => {
  expect((await search(words, 1)).map((section) => section.page)).toEqual([page])
})

it('returns the section with its text, title and address', async () => {
  const [first] = await search('ban an account or an address', 1)
  expect(first).toMatchObject({
    title: 'Ban an account or an address',
    page: 'Bans',
    url: 'https://quests.example.org/docs/bans#ban-an-account-or-an-address',
  })
  expect(first?.text).toContain('bin/questboard ban create --address 0x')
  expect(first?.text).toContain('only in this space; without it, in all spaces')
  expect(first?.text).not.toMatch(/<|&quot;|Copy Code|\u200b/)
})

it('returns no more sections than asked for, and none for words that do not occur', async () => {
  expect(await search('token', 3)).toHaveLength(3)
  expect(await search('qqqqxxxx', 3)).toEqual([])
  expect(await search('!?', 3)).toEqual([])
})

it('finds words by their beginning, and looks for the first ten words only', async () => {
  expect((await search('idempot', 3)).length).toBeGreaterThan(0)
  const ten = 'qa qb qc qd qe qf qg qh qi qj'
  expect(await search(`${ten} ban`, 3)).toEqual(await search(ten, 3))
})

it('does not search the pages for contributors', async () => {
  expect((await search('architecture rooms glossary contributing', 10)).map(({ page }) => page)).not.toContain(
    'Architecture',
  )
})

it('reports that the manual is not built', async () => {
  await expect(createManualSearch(empty, '')('token', 1)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The manual of this installation is not built',
  })
})
