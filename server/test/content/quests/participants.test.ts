import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findParticipantsByShortId } from '../../../src/content/quests/participants.queries.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type ContentService, type Editor, startContent } from '../arrange.ts'

interface Listed {
  items: { address: string; name: string; completedAt: string; points: number | null }[]
  next: string | null
  complete: boolean
}

const QUEST = 'GClist0001'
const PATH = `/api/quests/${QUEST}/participants`
const address = (digit: string) => `0x${digit.repeat(40)}`
const [NAMED, CODED, PLAIN] = [address('a'), address('b'), address('c')]
const [MAIL, HANDLE, BECH32] = ['mara@example.org', 'rowan', 'inj1qqqsyqcyq5rqwzqfpg9scrgwpugpzysn7hzdtn']
const BASE58 = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
const shortIdOf = (member: string) => createHash('md5').update(member).digest('hex').slice(0, 10)
const code = shortIdOf(CODED)
const AT = '2026-11-02T10:00:00.000Z'

let service: ContentService
let editor: Editor
beforeAll(async () => {
  service = await startContent()
  const deps = service.services
  await importRecords(deps, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords(deps, 'points', [
    { spaceId: 40, address: NAMED, points: 5, username: '=Mara, the 1st' },
    { spaceId: 40, address: CODED, points: 3 },
  ])
  await importRecords(deps, 'quests', [{ id: QUEST, spaceId: 40, name: 'List', type: 'Points', loyaltyPoints: 5 }])
  await importRecords(
    deps,
    'participants',
    [NAMED, CODED, PLAIN, MAIL, HANDLE, BECH32, BASE58].map((one) => ({ questId: QUEST, address: one, joinedAt: AT })),
  )
  await service.database.query('INSERT INTO quest_claims VALUES ($1, $2, NULL, NULL, 5, 0, $3)', [QUEST, NAMED, AT])
  editor = await service.withRole(40, 'editor')
})
afterAll(() => service.close())

const found = async (query: string) => {
  const { status, body } = await editor.get<Listed>(`${PATH}?${query}`)
  expect(status).toBe(200)
  return body.items.map((item) => item.address)
}

describe('the list of participants of a quest', () => {
  it('has the name of the board, the time and the points', async () => {
    const { body } = await editor.get<Listed>(PATH)
    expect(body.items.slice(0, 2)).toEqual([
      { address: NAMED, name: '=Mara, the 1st', completedAt: AT, points: 5 },
      { address: CODED, name: code, completedAt: AT, points: null },
    ])
  })

  it('returns page by page', async () => {
    const first = await editor.get<Listed>(`${PATH}?first=2`)
    expect(first.body.items.map((item) => item.address)).toEqual([NAMED, CODED])
    expect(await found(`first=1&after=${first.body.next}`)).toEqual([PLAIN])
    expect((await editor.get<Listed>(`${PATH}?first=7`)).body.next).toBeNull()
    const searched = await editor.get<Listed>(`${PATH}?first=1&search=0x`)
    expect(searched.body).toMatchObject({ items: [{ address: NAMED }], next: NAMED })
    expect(await found(`search=0x&after=${NAMED}`)).toEqual([CODED, PLAIN])
  })

  it.each([
    ['0xCC', [PLAIN]],
    ['%3dmara', [NAMED]],
    [code, [CODED]],
    [shortIdOf(PLAIN).toUpperCase(), [PLAIN]],
    ['Mara@Exa', [MAIL]],
    ['@Ro', [HANDLE]],
    ['INJ1QQ', [BECH32]],
    ['7EcDh', [BASE58]],
    ['@', []],
    ['Nobody', []],
  ])('finds participants by an address, a name or a short ID: %s', async (search, expected) => {
    expect(await found(`search=${search}`)).toEqual(expected)
  })

  it('searches 1,000 names of members, and marks a search with more as incomplete', async () => {
    const many = Array.from({ length: 1_001 }, (_, i) => ({
      spaceId: 40,
      address: `crowd-${i}`,
      username: `Many ${i}`,
    }))
    await importRecords(
      service.services,
      'points',
      many.map((one) => ({ ...one, points: 1 })),
    )
    const completeness = async (search: string) => (await editor.get<Listed>(`${PATH}?search=${search}`)).body.complete
    expect(await completeness('many')).toBe(false)
    expect(await completeness('many%2010')).toBe(true)
    expect((await editor.get<Listed>(PATH)).body.complete).toBe(true)
  })

  it('has short IDs, which it looks up in a part of a large quest', async () => {
    const { kysely } = service.database
    expect(await findParticipantsByShortId(kysely, QUEST, code, 7)).toEqual({ addresses: [CODED], complete: true })
    expect(await findParticipantsByShortId(kysely, QUEST, shortIdOf(PLAIN), 1)).toEqual({
      addresses: [],
      complete: false,
    })
  })

  it('exports CSV, in which no name is a formula', async () => {
    const answer = await editor.browser.get(`${PATH}/download`)
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="participants-${QUEST}.csv"`)
    expect(answer.body.split('\n').slice(0, 3)).toEqual([
      'address,name,completedAt,points',
      `${NAMED},"'=Mara, the 1st",${AT},5`,
      `${CODED},${code},${AT},`,
    ])
  })

  it('is for editors of the space', async () => {
    const viewer = await service.withRole(40, 'viewer')
    const stranger = await service.someone()
    for (const path of [PATH, `${PATH}/download`]) {
      expect((await viewer.get(path)).status).toBe(403)
      expect((await stranger.get(path)).status).toBe(404)
      expect((await service.operator.browser.get(path)).statusCode).toBe(200)
    }
    expect((await editor.get('/api/quests/GCnone/participants')).status).toBe(404)
  })
})
