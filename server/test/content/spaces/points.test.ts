import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { HOUR } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { LedgerEntry } from '../../../src/ledger/entry.ts'
import { settleSpace } from '../../../src/ranking/timed-awards.ts'
import { findShortId } from '../../../src/search/search.queries.ts'
import { NOW, startWorld, type World } from '../../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'

const SPACE = 7000

let world: World
let operator: SignedIn
beforeAll(async () => {
  world = await startWorld()
  operator = await signedInBrowser(world.app)
  await setOperator(world.database.kysely, operator.account.id, new Date(NOW))
  const { database, clock } = world
  await importRecords({ database, clock }, 'spaces', [{ spaceId: SPACE, name: 'Corrected' }])
  await importRecords({ database, clock }, 'sprints', [{ spaceId: SPACE, sprintId: 1 }])
})
afterAll(() => world.stop())

interface Answer {
  status?: string
  key?: string
  entry?: string | null
  error?: { code: string; message: string; field?: string }
}

async function post(what: 'awards' | 'reversals', body: unknown, space: number | string = SPACE) {
  const response = await operator.browser.call('POST', `/api/spaces/${space}/${what}`, body)
  return { code: response.statusCode, ...response.json<Answer>() }
}
const points = async (address: string) => {
  const [row] = await world.database.query<{ points: number }>(
    'SELECT points FROM board_entries WHERE space_id = $1 AND sprint_id = 0 AND address = $2',
    [SPACE, address],
  )
  return row?.points
}
const audited = () =>
  world.database.query(
    `SELECT event, account_id, details FROM security_events WHERE event LIKE 'points.%' ORDER BY happened_at, event_id`,
  )

describe('GET /api/spaces/{id}/members', () => {
  const [NAMES, LARGE] = [7100, 7101]
  const find = async (name: string, who = operator) => {
    const response = await who.browser.get(`/api/spaces/${NAMES}/members?${new URLSearchParams({ name }).toString()}`)
    type Found = { list?: { address: string }[]; complete?: boolean; error?: object }
    return { code: response.statusCode, ...response.json<Found>() }
  }
  const byShortId = (shortId: string, limit?: number) =>
    findShortId(world.database.kysely, { spaceId: NAMES }, shortId, limit)
  const [sam, otherSam, elsewhere] = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
  beforeAll(async () => {
    const { database, clock } = world
    await importRecords({ database, clock }, 'spaces', [
      { spaceId: NAMES, name: 'Names' },
      { spaceId: LARGE, name: 'Large' },
    ])
    await importRecords({ database, clock }, 'points', [
      { spaceId: NAMES, address: sam, username: 'Sam', points: 10 },
      { spaceId: NAMES, address: otherSam, username: 'sam', points: 20 },
      { spaceId: NAMES, address: `0x${'d'.repeat(40)}`, username: 'Samantha', points: 9_999 },
      { spaceId: LARGE, address: elsewhere, username: 'Sam', points: 9_999 },
    ])
  })

  it('finds the members of the space with this name in upper or lower case, and no longer names', async () => {
    expect(await find(' SAM ')).toEqual({
      code: 200,
      list: [
        { address: otherSam, username: 'sam', points: 20 },
        { address: sam, username: 'Sam', points: 10 },
      ],
      complete: true,
    })
    expect(await find('sa')).toEqual({ code: 200, list: [], complete: true })
  })

  it('finds a member by the address', async () => {
    expect(await find(sam.toUpperCase().replace('X', 'x'))).toMatchObject({ list: [{ address: sam }] })
    expect(await find(elsewhere)).toMatchObject({ list: [] })
  })

  it('finds a member by the short ID that boards show in place of a name', async () => {
    const address = `0x${'5'.repeat(40)}`
    await importRecords(world.deps, 'points', [{ spaceId: NAMES, address, points: 3 }])
    const shortId = createHash('md5').update(address).digest('hex').slice(0, 10)
    expect(await find(shortId.toUpperCase())).toMatchObject({ list: [{ address, username: shortId, points: 3 }] })
  })

  it('finds that member also if others chose the short ID as their name, and lists them all', async () => {
    const { database, clock } = world
    const address = `0x${'6'.repeat(40)}`
    const username = createHash('md5').update(address).digest('hex').slice(0, 10)
    const impostors = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`)
    await importRecords({ database, clock }, 'points', [
      ...impostors.map((one) => ({ spaceId: NAMES, address: one, username, points: 5 })),
      { spaceId: NAMES, address, points: 4 },
    ])
    const found = await find(username)
    expect(found.list?.map((one) => one.address).toSorted()).toEqual([...impostors, address])
    expect(found.list?.at(-1)).toMatchObject({ address })
    expect(await byShortId(username)).toEqual({ addresses: [address], complete: true })
  })

  it('looks a short ID up among a limited number of the best members', async () => {
    expect(await byShortId('0123456789', 2)).toEqual({ addresses: [], complete: false })
    expect(await byShortId('0123456789')).toEqual({ addresses: [], complete: true })
  })

  it('marks a list of many members as incomplete', async () => {
    const { database, clock } = world
    const many = Array.from({ length: 25 }, (_, n) => `0x${String(n).padStart(40, '9')}`)
    await importRecords(
      { database, clock },
      'points',
      many.map((address) => ({ spaceId: NAMES, address, username: 'Crowd', points: 1 })),
    )
    const { list, complete } = await find('crowd')
    expect([list?.length, complete]).toEqual([20, false])
  })

  it.each(['', ' ', 'x'.repeat(321)])('refuses the name %j', async (name) => {
    expect(await find(name)).toMatchObject({
      code: 400,
      error: { field: 'name', message: 'name must be text of 1 to 320 characters' },
    })
  })

  it('names NUL as the fault of a name', async () => {
    expect(await find('a\0')).toMatchObject({
      code: 400,
      error: { field: 'name', fault: { code: 'wrong_format', parameters: { format: 'storable_text' } } },
    })
  })

  it('rejects accounts that do not manage the space', async () => {
    expect(await find('sam', await signedInBrowser(world.app))).toMatchObject({ code: 403 })
  })
})

describe('POST /api/spaces/{id}/awards', () => {
  it('awards points with a reason, and records the account in the ledger and in the audit log', async () => {
    const answer = await post('awards', { address: '@Ann', points: 5, sprintId: 1, reason: 'Meetup' })
    const key = expect.stringMatching(/^manual-[0-9a-f-]{36}$/) as string
    expect(answer).toEqual({ code: 200, status: 'applied', key })
    expect(await points('ann')).toBe(5)
    const entries = await world.database.query(
      'SELECT source, actor, reason, key FROM ledger_entries WHERE space_id = $1',
      [SPACE],
    )
    expect(entries).toEqual([{ source: 'award', actor: operator.account.id, reason: 'Meetup', key: answer.key }])
    expect(await audited()).toEqual([
      {
        event: 'points.awarded',
        account_id: operator.account.id,
        details: { space: String(SPACE), key: answer.key, points: '5' },
      },
    ])
  })

  it.each([
    [{ address: '0x123' }, 'address'],
    [{ address: '0x5e5e…5e5e' }, 'address'],
    [{ address: `0x${'a'.repeat(39)}O` }, 'address'],
    [{ points: 0 }, 'points'],
  ])('refuses %j, and names the field', async (part, field) => {
    const answer = await post('awards', { address: 'ann', points: 5, reason: 'R', ...part })
    expect(answer).toMatchObject({ code: 400, error: { field } })
  })

  it('counts a key once', async () => {
    const award = { address: 'bob', points: 5, reason: 'R', key: 'mine' }
    expect([(await post('awards', award)).status, (await post('awards', award)).status]).toEqual([
      'applied',
      'duplicate',
    ])
    expect(await post('awards', { ...award, points: 6 })).toMatchObject({ code: 409, error: { code: 'conflict' } })
    expect(await points('bob')).toBe(5)
  })

  it('accepts points that become available later', async () => {
    const availableAt = new Date(world.clock.now() + HOUR).toISOString()
    expect(await post('awards', { address: 'cyd', points: 5, reason: 'R', availableAt })).toMatchObject({ code: 200 })
    expect(await points('cyd')).toBeUndefined()
  })

  it.each([
    [{ points: 1, reason: 'R' }, 400, 'address'],
    [{ address: 'ann', reason: 'R' }, 400, 'points'],
    [{ address: 'ann', points: 1.5, reason: 'R' }, 400, 'points'],
    [{ address: 'ann', points: 1 }, 400, 'reason'],
    [{ address: 'ann', points: 1, reason: '' }, 400, 'reason'],
    [{ address: 'ann', points: 1, reason: 'x'.repeat(501) }, 400, 'reason'],
    [{ address: 'ann', points: 1, reason: 'R', sprintId: 9 }, 404, 'sprintId'],
    [{ address: 'ann', points: 2_147_483_647, reason: 'R' }, 400, 'points'],
    [{ address: 'ann', points: 1, reason: 'R', expiresAt: '2001-01-01T00:00:00Z' }, 400, 'expiresAt'],
    [{ address: 'ann', points: 1, reason: 'R', spaceId: 41 }, 400, 'spaceId'],
    [{ address: 'ann', points: 1, reason: 'R', total: 1 }, 400, 'total'],
    [{ address: 'ann', points: 1, reason: 'R', key: '' }, 400, 'key'],
    [{ address: 'a\u0000', points: 1, reason: 'R' }, 400, 'address'],
  ])('rejects %j', async (body, code, field) => {
    const before = await audited()
    expect(await post('awards', body)).toMatchObject({ code, error: { field } })
    expect(await audited()).toEqual(before)
    expect(await points('ann')).toBe(5)
  })

  it('responds with 404 for an unknown space', async () => {
    const award = { address: 'ann', points: 1, reason: 'R' }
    expect(await post('awards', award, 7999)).toMatchObject({ code: 404 })
    expect(await post('awards', award, 'x')).toMatchObject({ code: 404 })
  })
})

describe('POST /api/spaces/{id}/reversals', () => {
  it('reverses an award once, by its key or its entry', async () => {
    await post('awards', { address: 'dan', points: 8, reason: 'R', key: 'oops' })
    const { entry, ...first } = await post('reversals', { key: 'oops', reason: 'A mistake' })
    expect(first).toEqual({ code: 200, status: 'applied' })
    expect(await points('dan')).toBe(0)
    expect(await post('reversals', { key: 'oops', reason: 'Again' })).toEqual({
      code: 200,
      status: 'duplicate',
      entry: null,
    })
    expect(await audited()).toContainEqual({
      event: 'points.reversed',
      account_id: operator.account.id,
      details: { space: String(SPACE), entry },
    })
    expect(await post('reversals', { entry, reason: 'Back' })).toMatchObject({ code: 409 })
  })

  it.each([
    [{ reason: 'R' }, 400, 'entry'],
    [{ key: 'a', entry: '1-1', reason: 'R' }, 400, 'entry'],
    [{ entry: 'x', reason: 'R' }, 400, 'entry'],
    [{ entry: '999-1', reason: 'R' }, 404, 'entry'],
    [{ key: 'unknown', reason: 'R' }, 404, 'key'],
    [{ key: 'mine' }, 400, 'reason'],
    [{ key: 'mine', reason: 'R', points: 1 }, 400, 'points'],
  ])('rejects %j', async (body, code, field) => {
    expect(await post('reversals', body)).toMatchObject({ code, error: { field } })
  })

  it('responds with 404 for an unknown space', async () => {
    expect(await post('reversals', { key: 'mine', reason: 'R' }, 7999)).toMatchObject({ code: 404 })
  })
})

describe('GET /api/spaces/{id}/ledger', () => {
  const list = async (query = '', as = operator) => {
    const response = await as.browser.get(`/api/spaces/${SPACE}/ledger${query}`)
    return { code: response.statusCode, ...response.json<{ list: LedgerEntry[]; next: string | null } & Answer>() }
  }

  it('lists the entries newest first, page by page', async () => {
    const all = await list()
    expect(all.next).toBeNull()
    expect(all.list.map(({ address }) => address)).toEqual(['dan', 'dan', 'cyd', 'bob', 'ann'])
    const first = await list('?first=2')
    const second = await list(`?first=3&after=${first.next ?? ''}`)
    expect([...first.list, ...second.list]).toEqual(all.list)
  })

  it('filters by member, sprint, source and time', async () => {
    expect((await list('?address=ANN')).list).toMatchObject([{ address: 'ann', amount: 5, reversible: true }])
    expect((await list('?sprintId=1')).list).toMatchObject([{ address: 'ann' }])
    expect((await list('?source=reversal')).list).toMatchObject([{ address: 'dan', amount: -8, reversible: false }])
    expect((await list(`?from=${new Date(NOW).toISOString()}`)).list).toHaveLength(5)
    expect(await list(`?to=${new Date(NOW).toISOString()}`)).toMatchObject({ code: 200, list: [] })
  })

  it('marks both entries of an award that became available and was reversed', async () => {
    const clock = { ...world.clock, now: () => world.clock.now() + HOUR }
    await world.database.kysely.transaction().execute((trx) => settleSpace(trx, SPACE, { clock, lockWait: 10 }))
    const [available] = (await list('?source=availability')).list
    expect(await post('reversals', { entry: available?.id, reason: 'R' })).toMatchObject({ code: 200 })
    const reversedBy = expect.any(String) as string
    expect((await list('?address=cyd')).list).toMatchObject([{ reversedBy: null }, { reversedBy }, { reversedBy }])
  })

  it('names the member and the author of an entry, and finds entries by the name of the member', async () => {
    const NAMED = 7200
    const [wallet, sameText] = [`0x${'7'.repeat(40)}`, 'mara']
    await importRecords(world.deps, 'spaces', [{ spaceId: NAMED, name: 'Named' }])
    const [token, file] = ['00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000a2']
    await world.database.query(
      `INSERT INTO imports (import_id, account_id, file_name, replaces, state, created_at, touched_at, ended_at)
       VALUES ($1, $2, 'members.csv', false, 'stored', now(), now(), now())`,
      [file, operator.account.id],
    )
    await importRecords({ ...world.deps, actor: file }, 'points', [
      { spaceId: NAMED, address: wallet, username: 'Mara', points: 5 },
      { spaceId: NAMED, address: 'other', points: 1 },
    ])
    await importRecords({ ...world.deps, actor: file }, 'awards', [
      { spaceId: NAMED, address: wallet, points: 2, key: 'of-file' },
    ])
    await importRecords({ ...world.deps, actor: token }, 'points', [{ spaceId: NAMED, address: wallet, points: 9 }])
    await importRecords(world.deps, 'points', [{ spaceId: NAMED, address: wallet, points: 10 }])
    await post('awards', { address: sameText, points: 3, reason: 'R' }, NAMED)
    const named = async (text: string) => {
      const parameters = new URLSearchParams({ member: text }).toString()
      const response = await operator.browser.get(`/api/spaces/${NAMED}/ledger?${parameters}`)
      return response.json<{ list: object[] }>().list
    }
    const by = operator.account.username
    const ofFile = { kind: 'import', id: file, name: 'members.csv', by }
    const found = await named('MARA')
    expect(found).toMatchObject([
      { address: sameText, author: { kind: 'account', id: operator.account.id, name: by, by: null } },
      { address: wallet, username: 'Mara', amount: 1, author: null },
      { address: wallet, username: 'Mara', amount: 2, author: { kind: 'unknown', id: token, name: null } },
      { address: wallet, username: 'Mara', amount: 2, author: ofFile },
      { address: wallet, username: 'Mara', amount: 5, author: ofFile },
    ])
    expect(await named(wallet)).toHaveLength(4)
    expect(await named('nobody')).toEqual([])

    const [ownToken, owner] = ['00000000-0000-4000-8000-0000000000a3', await signedInBrowser(world.app)]
    await world.database.query('UPDATE spaces SET owner_account_id = $2 WHERE space_id = $1', [NAMED, owner.account.id])
    for (const [id, accountId] of [
      [token, operator.account.id],
      [ownToken, owner.account.id],
    ])
      await world.database.query(
        `INSERT INTO ingest_tokens (token_id, account_id, name, token_hash, created_at) VALUES ($1, $2, $3, $4, now())`,
        [id, accountId, 'nightly', Buffer.alloc(32, String(id).slice(-2))],
      )
    await importRecords({ ...world.deps, actor: ownToken }, 'points', [{ spaceId: NAMED, address: 'other', points: 4 }])
    const authorsFor = async (as: SignedIn) => {
      const response = await as.browser.get(`/api/spaces/${NAMED}/ledger`)
      const { list } = response.json<{ list: { author: { kind: string; name: string | null; by: string } | null }[] }>()
      return list.flatMap(({ author }) => (author ? [[author.kind, author.name, author.by]] : []))
    }
    const account = ['account', by, null]
    const [readable, hidden] = [
      ['import', 'members.csv', by],
      ['import', null, null],
    ]
    const nightly = ['token', 'nightly', null]
    expect(await authorsFor(operator)).toEqual([nightly, account, nightly, readable, readable, readable])
    expect(await authorsFor(owner)).toEqual([nightly, account, ['token', null, null], hidden, hidden, hidden])
  })

  it('returns the reversal of an entry, also if the filter leaves out the reversal', async () => {
    const [reversal] = (await list('?source=reversal&address=dan')).list
    expect((await list('?source=award&address=dan')).list).toMatchObject([
      { id: reversal?.reverses, reversedBy: reversal?.id },
    ])
    expect(reversal).toMatchObject({ reversedBy: null })
    expect((await list('?address=ann')).list).toMatchObject([{ reversedBy: null }])
  })

  it.each([
    ['?first=0', 'first'],
    ['?after=x', 'after'],
    ['?sprintId=x', 'sprintId'],
    ['?source=gift', 'source'],
    ['?address=', 'address'],
    ['?from=yesterday', 'from'],
    ['?to=2026-11-01', 'to'],
    ['?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'to'],
  ])('names the invalid parameter of %s', async (query, field) => {
    expect(await list(query)).toMatchObject({ code: 400, error: { field } })
  })
})

it('lets only owners and admins read and change points', async () => {
  const member = await signedInBrowser(world.app)
  const call = async () => [
    (await member.browser.get(`/api/spaces/${SPACE}/ledger`)).statusCode,
    (await member.browser.call('POST', `/api/spaces/${SPACE}/awards`, { address: 'eve', points: 1, reason: 'R' }))
      .statusCode,
    (await member.browser.call('POST', `/api/spaces/${SPACE}/reversals`, { key: 'oops', reason: 'R' })).statusCode,
  ]
  expect(await call()).toEqual([403, 403, 403])
  for (const [role, code] of [
    ['editor', 403],
    ['admin', 200],
  ] as const) {
    await world.database.query(
      `INSERT INTO space_members (space_id, account_id, role, added_at) VALUES ($1, $2, $3, now())
       ON CONFLICT (space_id, account_id) DO UPDATE SET role = $3`,
      [SPACE, member.account.id, role],
    )
    expect(await call()).toEqual([code, code, code])
  }
})
