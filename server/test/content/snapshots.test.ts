import { afterAll, beforeAll, expect, it } from 'vitest'
import { MAX_SNAPSHOTS } from '../../src/content/snapshot-operations.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { silentLog } from '../../src/logging/log.ts'
import { snapshotJob } from '../../src/snapshots/job.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from './arrange.ts'

const SPACE = 7100
const OTHER = 7101

let world: ContentService
let owner: Editor
beforeAll(async () => {
  world = await startContent()
  await importRecords(world.services, 'spaces', [
    { spaceId: SPACE, name: 'Own' },
    { spaceId: OTHER, name: 'Foreign' },
  ])
  owner = await world.withRole(SPACE, 'owner')
  await importRecords(world.services, 'points', [
    { spaceId: SPACE, address: 'ann', points: 5 },
    { spaceId: SPACE, address: 'bob', points: 3 },
    { spaceId: OTHER, address: 'cyd', points: 9 },
  ])
  const quest = { name: 'Q', type: 'Points' as const, loyaltyPoints: 1 }
  await importRecords(world.services, 'quests', [
    { ...quest, id: 'GCown', spaceId: SPACE },
    { ...quest, id: 'GCother', spaceId: OTHER },
  ])
  await importRecords(world.services, 'participants', [{ questId: 'GCown', address: 'ann' }])
})
afterAll(() => world.close())

const path = `/api/spaces/${SPACE}/snapshots`

interface Snapshot {
  id: string
  state: string
  members: number
}
const counted = (body: object) => owner.call<Snapshot>('POST', `${path}/preview`, body)
const created = (body: object) => owner.call<Snapshot>('POST', path, body)

it('counts, seals, downloads and deletes the board of the space', async () => {
  expect(await counted({})).toMatchObject({ status: 200, body: { members: 2 } })
  const made = await created({ public: true })
  expect(made).toMatchObject({ status: 202, body: { state: 'waiting' } })
  const { id } = made.body
  expect((await owner.get(`${path}/${id}/download`)).status).toBe(409)
  const now = world.clock.now()
  await snapshotJob({ ...world.services, log: silentLog }).run({
    now,
    agreedNow: async () => now,
    signal: new AbortController().signal,
  })
  const file = await owner.browser.get(`${path}/${id}/download?format=csv`)
  expect(file.body).toBe('rank,address,points\n1,ann,5\n2,bob,3\n')
  expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(204)
  expect((await owner.get(path)).body).toEqual({ items: [], next: null })
  const details = { snapshot: id, kind: 'space', id: String(SPACE) }
  expect(await world.logOf(owner)).toEqual(
    expect.arrayContaining([
      { event: 'snapshot.created', details },
      { event: 'snapshot.deleted', details },
    ]),
  )
})

it('counts the participants of a quest of the space, and of no quest of another space', async () => {
  expect((await counted({ questId: 'GCown' })).body.members).toBe(1)
  expect((await counted({ questId: 'GCother' })).status).toBe(403)
  expect((await created({ questId: 'GCother' })).status).toBe(403)
})

it.each([
  [{ spaceId: OTHER }, 'spaceId'],
  [{ credentialId: '777' }, 'credentialId'],
  [{ sprintId: 'x' }, 'sprintId'],
  [{ nonsense: 1 }, 'nonsense'],
])('rejects %j with the name of the field', async (body, field) => {
  const answer = await owner.call<ErrorBody>('POST', path, body)
  expect([answer.status, answer.body.error.field]).toEqual([400, field])
})

it.each(['editor', 'viewer'] as const)('rejects a member of the team with the role %s', async (role) => {
  const { id } = (await created({})).body
  const member = await world.withRole(SPACE, role)
  const answers = [
    await member.get(path),
    await member.get(`${path}/${id}/download`),
    await member.call('POST', `${path}/preview`, {}),
    await member.call('POST', path, {}),
    await member.call('DELETE', `${path}/${id}`),
  ]
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
  expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(204)
})

it('does not show or delete snapshots of other spaces', async () => {
  const foreign = await world.withRole(OTHER, 'owner')
  const { id } = (await foreign.call<Snapshot>('POST', `/api/spaces/${OTHER}/snapshots`, {})).body
  expect((await owner.get(`${path}/${id}/download`)).status).toBe(404)
  expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(404)
  expect((await foreign.get<{ items: Snapshot[] }>(`/api/spaces/${OTHER}/snapshots`)).body.items).toHaveLength(1)
})

it(`keeps at most ${MAX_SNAPSHOTS} snapshots of a space`, async () => {
  await world.database.query(
    `INSERT INTO snapshots (snapshot_id, kind, space_id, sprint_id, version, name, as_of, is_public, created_at, state)
     SELECT gen_random_uuid(), 'space', $1, 0, 1, 'Own', now(), false, now(), 'waiting' FROM generate_series(1, $2)`,
    [SPACE, MAX_SNAPSHOTS],
  )
  expect(await created({})).toMatchObject({
    status: 409,
    body: { error: { message: `The space has ${MAX_SNAPSHOTS} snapshots; delete one first` } },
  })
})
