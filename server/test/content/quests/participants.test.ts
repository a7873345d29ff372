import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { type ContentService, type Editor, startContent } from '../arrange.ts'

interface Listed {
  items: { address: string; name: string; completedAt: string; points: number | null }[]
  next: string | null
}

const QUEST = 'GClist0001'
const PATH = `/api/quests/${QUEST}/participants`
const address = (digit: string) => `0x${digit.repeat(40)}`
const [NAMED, CODED, PLAIN] = [address('a'), address('b'), address('c')]
const code = createHash('md5').update(CODED).digest('hex').slice(0, 10)
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
    [NAMED, CODED, PLAIN].map((one) => ({ questId: QUEST, address: one, joinedAt: AT })),
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

describe('the participants of a quest', () => {
  it('have the name of the board, the time and the points', async () => {
    const { body } = await editor.get<Listed>(PATH)
    expect(body.items.slice(0, 2)).toEqual([
      { address: NAMED, name: '=Mara, the 1st', completedAt: AT, points: 5 },
      { address: CODED, name: code, completedAt: AT, points: null },
    ])
  })

  it('are read page by page', async () => {
    const first = await editor.get<Listed>(`${PATH}?first=2`)
    expect(first.body.items).toHaveLength(2)
    expect(await found(`first=2&after=${first.body.next}`)).toEqual([PLAIN])
    expect((await editor.get<Listed>(`${PATH}?first=3`)).body.next).toBeNull()
  })

  it.each([
    ['0xCC', [PLAIN]],
    ['%3dmara', [NAMED]],
    [code, [CODED]],
    ['Nobody', []],
  ])('are found by an address, a name or a short ID: %s', async (search, expected) => {
    expect(await found(`search=${search}`)).toEqual(expected)
  })

  it('are downloaded as CSV, in which no name is a formula', async () => {
    const answer = await editor.browser.get(`${PATH}/download`)
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="participants-${QUEST}.csv"`)
    expect(answer.body.split('\n').slice(0, 3)).toEqual([
      'address,name,completedAt,points',
      `${NAMED},"'=Mara, the 1st",${AT},5`,
      `${CODED},${code},${AT},`,
    ])
  })

  it('are for editors of the space', async () => {
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
