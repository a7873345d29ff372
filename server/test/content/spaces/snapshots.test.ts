import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MAX_SNAPSHOTS, MAX_WAITING } from '../../../src/content/spaces/snapshot-route-descriptions.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { silentLog } from '../../../src/logging/log.ts'
import { snapshotsByAccount } from '../../../src/rate-limits/limits.ts'
import { snapshotJob } from '../../../src/snapshots/job.ts'
import { waitingSessions } from '../../support/database.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

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
beforeEach(() => world.database.query('DELETE FROM snapshots'))
afterAll(() => world.close())

const path = `/api/spaces/${SPACE}/snapshots`

interface Snapshot {
  id: string
  state: string
  members: number
}
const counted = (body: object) => owner.call<Snapshot>('POST', `${path}/preview`, body)
const created = (body: object) => owner.call<Snapshot>('POST', path, body)
const count = async () => (await world.database.query('SELECT FROM snapshots')).length

/** Seals the oldest snapshot that waits. */
async function runJob(): Promise<void> {
  const now = world.clock.now()
  const { signal } = new AbortController()
  await snapshotJob({ ...world.services, log: silentLog }).run({ now, agreedNow: async () => now, signal })
}

it('counts, seals, downloads and deletes the board of the space', async () => {
  expect(await counted({})).toMatchObject({ status: 200, body: { members: 2 } })
  const made = await created({ public: true })
  expect(made).toMatchObject({ status: 202, body: { state: 'waiting' } })
  const { id } = made.body
  expect((await owner.get(`${path}/${id}/download`)).status).toBe(409)
  await runJob()
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

it('looks up members of a private snapshot with their proofs and statements', async () => {
  const [first, second] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`]
  const questId = 'GClookup'
  await importRecords(world.services, 'quests', [
    { id: questId, spaceId: SPACE, name: 'Q', type: 'Points', loyaltyPoints: 1 },
  ])
  await importRecords(
    world.services,
    'participants',
    [first, second, 'ann'].map((address) => ({ questId, address })),
  )
  const { id } = (await created({ questId })).body
  const member = (address: string) => `${path}/${id}/members/${address}`
  expect((await owner.get(member(first))).status).toBe(409)
  await runJob()
  const found = await owner.get<{ jwt: string; proof: string[] | null }>(member(first))
  expect(found).toMatchObject({ status: 200, body: { address: first, snapshotId: id, eip712: null } })
  expect(found.body.proof).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)])
  expect(found.body.jwt.split('.')).toHaveLength(3)
  expect((await owner.get<{ proof: null }>(member('ann'))).body.proof).toBeNull()
  const refused = async (address: string) => {
    const { status, body } = await owner.get<ErrorBody>(member(address))
    return [status, body.error.field]
  }
  expect(await refused('zoe')).toEqual([404, 'address'])
  expect(await refused('0x12')).toEqual([400, 'address'])
  // Public routes reject it. Operators use another route.
  expect((await owner.get(`/api/snapshots/${id}/proof/${first}`)).status).toBe(404)
  const forOperators = `/api/operator/snapshots/${id}/members/${first}`
  expect((await world.operator.get(forOperators)).body).toMatchObject({ address: first, proof: found.body.proof })
  expect((await owner.get(forOperators)).status).toBe(403)
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

it.each([
  ['the team', path, 'sprintId, questId, at, public, note'],
  ['operators', '/api/operator/snapshots', 'spaceId, sprintId, credentialId, questId, at, public, note'],
])('names in the errors for %s only the fields that their routes accept', async (_, route, allowed) => {
  const messageAt = async (to: string) =>
    (await world.operator.call<ErrorBody>('POST', to, { nonsense: 1 })).body.error.message
  const message = `nonsense is unknown; allowed: ${allowed}`
  expect([await messageAt(route), await messageAt(`${route}/preview`)]).toEqual([message, message])
})

it('does not name the space as missing if a body names a quest and a sprint', async () => {
  const { body } = await owner.call<ErrorBody>('POST', path, { questId: 'GCown', sprintId: 1 })
  expect(body.error.message).toBe('sprintId is not allowed together with questId')
})

it.each(['editor', 'viewer'] as const)('rejects a member of the team with the role %s', async (role) => {
  const { id } = (await created({})).body
  const member = await world.withRole(SPACE, role)
  const answers = [
    await member.get(path),
    await member.get(`${path}/${id}/download`),
    await member.get(`${path}/${id}/members/ann`),
    await member.call('POST', `${path}/preview`, {}),
    await member.call('POST', path, {}),
    await member.call('POST', path, { nonsense: 1 }),
    await member.call('DELETE', `${path}/${id}`),
  ]
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
  expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(204)
})

it('does not show or delete snapshots of other spaces', async () => {
  const foreign = await world.withRole(OTHER, 'owner')
  const { id } = (await foreign.call<Snapshot>('POST', `/api/spaces/${OTHER}/snapshots`, {})).body
  expect((await owner.get(`${path}/${id}/download`)).status).toBe(404)
  expect((await owner.get(`${path}/${id}/members/cyd`)).status).toBe(404)
  expect((await owner.call('DELETE', `${path}/${id}`)).status).toBe(404)
  expect((await foreign.get<{ items: Snapshot[] }>(`/api/spaces/${OTHER}/snapshots`)).body.items).toHaveLength(1)
})

it('deletes also snapshots that an operator requested', async () => {
  const sealed = await world.operator.call<Snapshot>('POST', '/api/operator/snapshots', { spaceId: SPACE })
  expect((await owner.call('DELETE', `${path}/${sealed.body.id}`)).status).toBe(204)
})

it.each([true, false])('rejects dryRun: %s instead of sealing', async (dryRun) => {
  const answers = [
    await owner.call<ErrorBody>('POST', path, { dryRun }),
    await owner.call<ErrorBody>('POST', `${path}/preview`, { dryRun }),
    await world.operator.call<ErrorBody>('POST', '/api/operator/snapshots', { spaceId: SPACE, dryRun }),
    await world.operator.call<ErrorBody>('POST', '/api/operator/snapshots/preview', { spaceId: SPACE, dryRun }),
  ]
  for (const { status, body } of answers) {
    expect([status, body.error.field]).toEqual([400, 'dryRun'])
    expect(body.error.message).toContain('/preview')
  }
  expect(await count()).toBe(0)
})

it('gives an empty list the state failed', async () => {
  await importRecords(world.services, 'quests', [
    { id: 'GCempty', spaceId: SPACE, name: 'Empty', type: 'Points', loyaltyPoints: 1 },
  ])
  expect((await counted({ questId: 'GCempty' })).status).toBe(409)
  const { status, body } = await created({ questId: 'GCempty' })
  expect(status).toBe(202)
  await runJob()
  const { items } = (await owner.get<{ items: Snapshot[] }>(path)).body
  expect(items.find(({ id }) => id === body.id)).toMatchObject({
    state: 'failed',
    failure: 'There is nothing to seal: the list of the quest GCempty is empty.',
  })
})

it('limits the previews and requests of an account, and counts none with an invalid field', async () => {
  const busy = await world.withRole(SPACE, 'admin')
  for (const invalid of [`${path}/preview`, path])
    expect((await busy.call('POST', invalid, { nonsense: true })).status).toBe(400)
  for (let n = 0; n < snapshotsByAccount.max; n++)
    expect((await busy.call('POST', `${path}/preview`, {})).status).toBe(200)
  expect((await busy.call('POST', `${path}/preview`, {})).status).toBe(429)
  expect((await busy.call('POST', path, {})).status).toBe(429)
  expect((await counted({})).status).toBe(200)
})

describe('limits the snapshots of a space', () => {
  const store = (state: 'waiting' | 'failed', number: number) =>
    world.database.query(
      `INSERT INTO snapshots (snapshot_id, kind, space_id, sprint_id, version, name, as_of, is_public, created_at, state)
       SELECT gen_random_uuid(), 'space', $1, 0, 1, 'Own', now(), false, now(), $3 FROM generate_series(1, $2)`,
      [SPACE, number, state],
    )

  it(`refuses while it has ${MAX_SNAPSHOTS}`, async () => {
    await store('failed', MAX_SNAPSHOTS)
    expect(await created({})).toMatchObject({
      status: 409,
      body: { error: { message: `The space has ${MAX_SNAPSHOTS} snapshots; delete one first` } },
    })
    await world.database.query('DELETE FROM snapshots WHERE snapshot_id = (SELECT snapshot_id FROM snapshots LIMIT 1)')
    expect((await created({})).status).toBe(202)
  })

  it(`refuses while ${MAX_WAITING} wait`, async () => {
    await store('waiting', MAX_WAITING)
    expect(await created({})).toMatchObject({
      status: 409,
      body: { error: { message: `${MAX_WAITING} snapshots of the space wait to be sealed; try again later` } },
    })
  })

  it('counts requests at the same time one after the other', async () => {
    await store('waiting', MAX_WAITING - 1)
    const admin = await world.withRole(SPACE, 'admin')
    const holder = await world.database.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('SELECT FROM spaces WHERE space_id = $1 FOR UPDATE', [SPACE])
      const answers = [created({}), admin.call('POST', path, {})]
      await expect.poll(() => waitingSessions(world.database)).toBe(2)
      await holder.query('COMMIT')
      expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([202, 409])
    } finally {
      // Its locks end with the connection.
      holder.release(true)
    }
  })
})
