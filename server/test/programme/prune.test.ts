import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { type Programmes, startProgrammes } from './arrange.ts'

const file = (lists: string) => `spaces:\n  - spaceId: 40\n    name: Meridian\n${lists}`
const QUESTS = `    quests:
      - {id: GCnew, name: New, type: Drop, status: Expired}
`
const OLD = '      - {id: GCold, name: Old, type: Drop, status: Expired}\n'

let programmes: Programmes
beforeAll(async () => {
  programmes = await startProgrammes()
})
afterAll(() => programmes.close())

const questIds = async () =>
  (await programmes.deps.database.query<{ quest_id: string }>('SELECT quest_id FROM quests ORDER BY 1')).map(
    (row) => row.quest_id,
  )

describe('apply --prune', () => {
  it('removes what the lists of described spaces no longer have, and nothing else', async () => {
    const sprints = '    sprints:\n      - {sprintId: 1, name: One}\n'
    await programmes.apply({ 'a.yaml': file(sprints + QUESTS + OLD) })
    await importRecords(programmes.deps, 'spaces', [{ spaceId: 41, name: 'Other' }])
    const other = { id: 'GCother', spaceId: 41, name: 'Other', type: 'Drop', status: 'Expired' } as const
    await importRecords(programmes.deps, 'quests', [other])

    const shown = await programmes.apply({ 'a.yaml': file(QUESTS) }, '--prune', '--diff')
    expect(shown).toContain('- quest GCold "Old"')
    expect(shown).toContain('1 removed. Only compared: nothing was stored.')
    expect(await questIds()).toEqual(['GCnew', 'GCold', 'GCother'])
    await expect(programmes.apply({ 'a.yaml': file(QUESTS) }, '--prune')).rejects.toThrow('Use --yes')
    expect(await questIds()).toEqual(['GCnew', 'GCold', 'GCother'])

    expect(await programmes.apply({ 'a.yaml': file(QUESTS) }, '--prune', '--yes')).toContain('1 removed')
    expect(await questIds()).toEqual(['GCnew', 'GCother'])
    expect(await programmes.deps.database.query('SELECT sprint_id FROM sprints')).toEqual([{ sprint_id: 1 }])
    const [event] = await programmes.deps.database.query<{ details: object }>(
      `SELECT details FROM security_events WHERE event = 'data.deleted'`,
    )
    expect(event?.details).toMatchObject({ kind: 'quest', id: 'GCold', by: 'command' })
    await importRecords(programmes.deps, 'points', [{ spaceId: 40, sprintId: 1, address: 'ann', points: 5 }])
    const emptied = await programmes.apply({ 'a.yaml': file('    sprints: []\n') }, '--prune', '--diff')
    expect(emptied).toMatch(/- sprint 40-1 "One", with contents: .*members 1/)
    await programmes.apply({ 'a.yaml': file('    quests: []\n') }, '--prune', '--yes')
    expect(await questIds()).toEqual(['GCother'])
  })
})
