import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HISTORY_RETENTION } from '../../src/ingest-uploads/limits.ts'
import { sweepImports } from '../../src/ingest-uploads/sweep.ts'
import { undoQuery } from '../../src/ingest-uploads/imports.queries.ts'
import { undoImportsJob } from '../../src/ingest-uploads/undo.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startUploads, type Uploads } from '../support/uploads.ts'

interface Shown {
  id: string
  state: string
  preview: { newNames?: object } | null
  spaces: { id: number; name: string }[] | null
  spaceCount: number | null
  undo: { by: { username: string }; endedAt: string | null; reversed: number; before: number; refused: number } | null
  error: { code: string; message: string }
}

let { world, operator, author, view, act, checked, applied } = {} as Uploads<Shown>
beforeAll(async () => {
  ;({ world, operator, author, view, act, checked, applied } = await startUploads<Shown>())
})
afterAll(() => world.stop())
beforeEach(() => world.database.query('DELETE FROM import_chunks; DELETE FROM imports'))
it('finds the next import to undo in an index', async () => {
  await world.database.query(
    `INSERT INTO imports (import_id, account_id, file_name, replaces, state, created_at, touched_at, ended_at, undo)
     SELECT gen_random_uuid(), $1, 'points.csv', false, 'stored', now(), now(), now(),
       CASE WHEN n % 2 = 0 THEN '{"at": "2026-11-28", "endedAt": "2026-11-28"}'::jsonb END
     FROM generate_series(1, 2000) n`,
    [operator.account.id],
  )
  await world.database.query('ANALYZE imports')
  const query = undoQuery([operator.account.id]).compile(world.database.kysely)
  const plan = await world.database.query(`EXPLAIN ${query.sql}`, [...query.parameters])
  expect(JSON.stringify(plan)).toContain('Index Scan using imports_to_undo')
  expect(JSON.stringify(plan)).not.toContain('Sort')
})

describe('a file of points', () => {
  const [FIRST, SECOND] = [7400, 7401]
  const wallet = `0x${'d'.repeat(40)}`
  const pointsOf = async (spaceId: number) =>
    Object.fromEntries(
      (
        await world.database.query<{ address: string; points: number }>(
          'SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = 0',
          [spaceId],
        )
      ).map(({ address, points }) => [address, points]),
    )
  async function undoAll(): Promise<void> {
    const job = undoImportsJob(world.deps)
    const now = world.clock.now()
    const call = { now, agreedNow: async () => now, signal: AbortSignal.timeout(30_000) }
    while ((await job.run(call)) === 0);
  }
  beforeAll(async () => {
    await importRecords(world.deps, 'spaces', [
      { spaceId: FIRST, name: 'First' },
      { spaceId: SECOND, name: 'Second' },
    ])
    await importRecords(world.deps, 'points', [
      { spaceId: FIRST, address: 'ann', points: 4 },
      { spaceId: FIRST, address: wallet, points: 4 },
    ])
  })

  it('lists its spaces, and new members whose name is not an address', async () => {
    const names = [
      'mara',
      'ann',
      wallet,
      'mail@example.com',
      `0x${'e'.repeat(40)}`,
      '5a0c8f2e-0d6b-4c3a-9a57-1f6f0d1c2b3e',
    ]
    const lines = names.map((name) => `${FIRST},${name},9`).join('\n')
    const shown = await checked(`spaceId,address,points\n${lines}\n`, 'points.csv', { kind: 'points' })
    expect(shown).toMatchObject({ state: 'checked', spaces: [{ id: FIRST, name: 'First' }] })
    expect(shown.preview?.newNames).toEqual({ count: 1, examples: ['mara'] })
    await act(shown.id, 'cancel')
  })

  it.each(['points', 'awards'])('is undone as a whole, once, without entries that were undone: %s', async (kind) => {
    const before = { first: await pointsOf(FIRST), second: await pointsOf(SECOND) }
    const key = (name: string) => (kind === 'awards' ? `,${name}-${kind}` : '')
    const file = [
      `spaceId,address,points${kind === 'awards' ? ',key' : ''}`,
      `${FIRST},ann,11${key('a')}`,
      `${FIRST},${wallet},12${key('b')}`,
      `${SECOND},${wallet},13${key('c')}`,
    ].join('\n')
    const { id } = await checked(file, `${kind}.csv`, { kind })
    const stored = await applied(id)
    expect(stored).toMatchObject({ state: 'stored', undo: null, spaces: [{ name: 'First' }, { name: 'Second' }] })
    await importRecords(world.deps, 'awards', [{ spaceId: FIRST, address: 'ann', points: 1, key: `later-${kind}` }])
    const [entry] = await world.database.query<{ id: string }>(
      `SELECT version || '-' || position AS id FROM ledger_entries WHERE space_id = $1 AND actor = $2 AND address = 'ann'`,
      [FIRST, id],
    )
    await operator.browser.call('POST', `/api/spaces/${FIRST}/reversals`, { entry: entry?.id, reason: 'R' })
    expect((await act(id, 'undo')).status).toBe(202)
    await undoAll()
    const undone = await view(id)
    expect(undone.undo).toMatchObject({ by: author, reversed: 2, before: 1, refused: 0 })
    expect(undone.undo?.endedAt).not.toBeNull()
    expect(await pointsOf(FIRST)).toEqual({ ...before.first, ann: (before.first.ann ?? 0) + 1 })
    expect(await pointsOf(SECOND)).toEqual({ [wallet]: 0 })
    await act(id, 'undo')
    await undoAll()
    expect(await view(id)).toEqual(undone)
  })

  it('keeps the keys of its awards, so the same file stores nothing and shows why', async () => {
    const file = (points: number, keys: string[]) =>
      `spaceId,address,points,key\n${keys.map((key) => `${SECOND},keyed,${points},${key}`).join('\n')}\n`
    const { id } = await checked(file(5, ['k1', 'k2']), 'awards.csv')
    expect(await applied(id)).toMatchObject({ state: 'stored', added: 2, takenBack: 0 })
    await act(id, 'undo')
    await undoAll()
    const again = await checked(file(5, ['k1', 'k2', 'k3']), 'awards.csv')
    expect(again).toMatchObject({ state: 'checked', added: 1, unchanged: 2, takenBack: 2 })
    expect(await applied(again.id)).toMatchObject({ state: 'stored', added: 1, unchanged: 2, takenBack: 2 })
    expect(await checked(file(6, ['k1']), 'awards.csv')).toMatchObject({
      state: 'refused',
      takenBack: null,
      problems: [{ line: 2, field: 'key', fault: { code: 'not_unique' } }],
    })
    const corrected = await checked(file(6, ['k1-corrected', 'k2-corrected']), 'awards.csv')
    expect(await applied(corrected.id)).toMatchObject({ state: 'stored', added: 2, takenBack: 0 })
    expect(await pointsOf(SECOND)).toMatchObject({ keyed: 17 })
  })

  it('counts its awards for banned members', async () => {
    const ban = { address: 'banned', spaceId: SECOND, reason: 'Bots' }
    expect((await operator.browser.call('POST', '/api/operator/bans', ban)).statusCode).toBe(201)
    const file = (...members: string[]) =>
      `spaceId,address,points,key\n${members.map((member) => `${SECOND},${member},5,for-${member}`).join('\n')}\n`
    const { id, ...shown } = await checked(file('banned', 'other'), 'awards.csv')
    expect(shown).toMatchObject({ state: 'checked', added: 2, banned: 1 })
    expect(await applied(id)).toMatchObject({ state: 'stored', added: 2, banned: 1 })
    expect(await checked(file('banned'), 'awards.csv')).toMatchObject({ added: 0, banned: 0 })
    const points = `spaceId,address,points\n${SECOND},other,5\n`
    expect(await checked(points, 'points.csv', { kind: 'points' })).toMatchObject({ banned: null })
  })

  it('counts all its spaces, and names the first 20', async () => {
    const spaces = Array.from({ length: 21 }, (_, i) => 7500 + i)
    await importRecords(
      world.deps,
      'spaces',
      spaces.map((spaceId) => ({ spaceId, name: 'Many' })),
    )
    const lines = spaces.map((spaceId) => `${spaceId},many,1`).join('\n')
    const { id, ...shown } = await checked(`spaceId,address,points\n${lines}\n`, 'points.csv', { kind: 'points' })
    expect(shown.spaceCount).toBe(21)
    expect(shown.spaces?.map((space) => space.id)).toEqual(spaces.slice(0, 20))
    await act(id, 'cancel')
  })

  it('cannot be undone if a former version checked it', async () => {
    const { id } = await checked(`spaceId,address,points\n${SECOND},former,1\n`, 'points.csv', { kind: 'points' })
    await applied(id)
    await world.database.query('UPDATE imports SET space_ids = NULL')
    expect((await act(id, 'undo')).body.error).toMatchObject({
      code: 'not_undoable',
      message: 'Only stored imports of points can be undone, and none that was checked before imports could be undone',
    })
  })

  it('stays in the history until it is undone, then as long as other imports', async () => {
    const lines = Array.from({ length: 501 }, (_, i) => `${SECOND},late-${i},1`).join('\n')
    const { id } = await checked(`spaceId,address,points\n${lines}\n`, 'points.csv', { kind: 'points' })
    await applied(id)
    await act(id, 'undo')
    const job = undoImportsJob(world.deps)
    const now = world.clock.now()
    const call = { now, agreedNow: async () => now, signal: AbortSignal.timeout(30_000) }
    expect(await job.run(call)).toBe(0)
    const sweep = () => sweepImports(world.database.kysely, now + HISTORY_RETENTION + 1)
    expect(await sweep()).toBe(0)
    await undoAll()
    expect((await view(id)).undo).toMatchObject({ reversed: 501 })
    expect(await sweep()).toBe(1)
  })

  it('waits for a locked space, while other imports are undone', async () => {
    const undone = async (spaceId: number) => {
      const { id } = await checked(`spaceId,address,points\n${spaceId},waits,7\n`, 'points.csv', { kind: 'points' })
      await applied(id)
      await act(id, 'undo')
      world.clock.advance(1)
      return id
    }
    const [blocked, free] = [await undone(FIRST), await undone(SECOND)]
    const job = undoImportsJob(world.deps)
    const run = async () => {
      const now = world.clock.now()
      while ((await job.run({ now, agreedNow: async () => now, signal: AbortSignal.timeout(30_000) })) === 0);
    }
    await world.database.kysely.transaction().execute(async (trx) => {
      await sql`SELECT FROM space_versions WHERE space_id = ${FIRST} FOR UPDATE`.execute(trx)
      await run()
    })
    const ends = async () => [(await view(blocked)).undo?.endedAt, (await view(free)).undo?.endedAt]
    expect(await ends()).toEqual([null, expect.any(String)])
    world.clock.advance(30_000)
    await run()
    expect(await ends()).toEqual([expect.any(String), expect.any(String)])
  })

  it('cannot be undone before it is stored, and other files never', async () => {
    const { id } = await checked('spaceId,name\n7402,Third\n', 'spaces.csv')
    expect((await act(id, 'undo')).body.error).toMatchObject({ code: 'not_undoable' })
    await applied(id)
    expect((await act(id, 'undo')).status).toBe(409)
  })
})
