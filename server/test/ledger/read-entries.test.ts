import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DAY, HOUR, SECOND } from '../../src/clock.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { type EntryPosition, type LedgerEntry, toEntry } from '../../src/ledger/entry.ts'
import type { LedgerFilter } from '../../src/ledger/filter.ts'
import { enterSomeOpenings } from '../../src/ledger/openings.ts'
import { type EntryPage, readAll, readNewest, readPage } from '../../src/ledger/read-entries.ts'
import type { AwardEvent } from '../../src/ranking/awards.queries.ts'
import { applyEvents } from '../../src/ranking/awards.ts'
import { questboard, urlOf } from '../command/questboard.ts'
import { ingestToken } from '../ingest-api/arrange.ts'
import { startService, type TestService } from '../support/service.ts'
import { statementsOf } from '../support/statements.ts'

let service: TestService
let token: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
})
afterAll(() => service.stop())
let spaceId = 100
beforeEach(async () => {
  spaceId++
  await importRecords(service.deps, 'spaces', [{ spaceId, name: 'Space' }])
  await importRecords(service.deps, 'sprints', [{ spaceId, sprintId: 1 }])
})

let keys = 0
const award = (...events: Partial<AwardEvent>[]) =>
  service.database.kysely.transaction().execute((trx) =>
    applyEvents(
      trx,
      spaceId,
      events.map((event) => ({ key: `k${keys++}`, sprintId: 0, address: 'ann', points: 1, ...event })),
      service.clock,
    ),
  )

interface Answer {
  status: number
  type: string | null
  text: string
  body: { items: LedgerEntry[]; next: string | null; error?: { code: string; field?: string; message: string } }
}

async function read(query = '', { as = token, accept = '*/*', space = String(spaceId) } = {}): Promise<Answer> {
  const response = await fetch(`${service.url}/ingest/v1/spaces/${space}/ledger?${query}`, {
    headers: { authorization: `Bearer ${as}`, accept },
  })
  const text = await response.text()
  const type = response.headers.get('content-type')
  return { status: response.status, type, text, body: (type?.includes('x-ndjson') ? {} : JSON.parse(text)) as never }
}
const amounts = async (query: string) => (await read(query)).body.items.map(({ amount }) => amount)

describe('GET /ingest/v1/spaces/{id}/ledger', () => {
  it('returns the entries with their fields, oldest first', async () => {
    const actor = '4d1f6c7a-52b0-4e0d-9c35-7e1a40d3a0aa'
    await award({ points: 5, key: 'first', reason: 'Welcome', actor }, { points: -2, sprintId: 1, key: 'second' })
    const { body } = await read()
    const time = new Date(service.clock.now()).toISOString()
    expect(body).toEqual({
      next: null,
      items: [
        {
          id: '1-1',
          time,
          address: 'ann',
          sprintId: null,
          amount: 5,
          pointsBefore: null,
          pointsAfter: 5,
          sprintBefore: null,
          sprintAfter: null,
          source: 'award',
          key: 'first',
          reason: 'Welcome',
          actor,
          reverses: null,
          award: null,
          pending: null,
          availableAt: null,
          expiresAt: null,
          ruleId: null,
          ruleVersion: null,
        },
        expect.objectContaining({
          id: '1-2',
          sprintId: 1,
          amount: -2,
          pointsBefore: 5,
          pointsAfter: 3,
          sprintAfter: -2,
        }),
      ],
    })
  })

  it('returns the amount of a change of a sprint alone, and of an erased balance', async () => {
    await importRecords(service.deps, 'points', [{ spaceId, sprintId: 1, address: 'ann', points: 7 }])
    await importRecords(service.deps, 'points', [{ spaceId, sprintId: 1, address: 'ann', points: 4 }])
    expect(await amounts('')).toEqual([7, -3])
  })

  it('returns all entries once over pages of any size', async () => {
    for (let i = 1; i <= 7; i++) await award({ points: i }, { points: i, address: 'bob' })
    for (const first of [1, 3, 14, 100]) {
      const ids: string[] = []
      for (let after: string | null = ''; after !== null;) {
        const { body } = await read(`first=${first}${after ? `&after=${after}` : ''}`)
        expect(body.items.length).toBeLessThanOrEqual(first)
        ids.push(...body.items.map(({ id }) => id))
        after = body.next
      }
      expect(ids).toEqual(Array.from({ length: 7 }, (_, i) => [`${i + 1}-1`, `${i + 1}-2`]).flat())
    }
  })

  it('filters by member, sprint and source', async () => {
    await award({ points: 1, address: '0xAbC0000000000000000000000000000000000001'.toLowerCase() })
    await award({ points: 2, sprintId: 1 }, { points: 3, source: 'quest' })
    await importRecords(service.deps, 'points', [{ spaceId, address: 'bob', points: 4 }])
    expect(await amounts('address=0xAbC0000000000000000000000000000000000001')).toEqual([1])
    expect(await amounts('sprintId=1')).toEqual([2])
    expect(await amounts('sprintId=0')).toEqual([1, 3, 4])
    expect(await amounts('source=quest,import')).toEqual([3, 4])
    expect(await amounts('source=quest&address=bob')).toEqual([])
  })

  it('filters by time over several months', async () => {
    const start = service.clock.now()
    for (let i = 0; i < 12; i++) {
      await award({ points: i + 1 })
      service.clock.advance(10 * DAY)
    }
    const at = (days: number) => encodeURIComponent(new Date(start + days * DAY).toISOString())
    expect(await amounts(`from=${at(30)}&to=${at(60)}`)).toEqual([4, 5, 6])
    expect(await amounts(`from=${at(100)}`)).toEqual([11, 12])
    expect(await amounts(`to=${at(10)}`)).toEqual([1])
    expect(await amounts(`from=${at(300)}`)).toEqual([])
  })

  it('filters opening balances by their time, not by their version', async () => {
    await award({ points: 5 })
    await service.database.query('DELETE FROM ledger_entries WHERE space_id = $1', [spaceId])
    await service.database.query('INSERT INTO ledger_openings (space_id, sprint_id) VALUES ($1, 0)', [spaceId])
    service.clock.advance(40 * DAY)
    await award({ points: 2, address: 'bob' })
    service.clock.advance(40 * DAY)
    while ((await enterSomeOpenings(service.database.kysely, service.clock)) > 0);
    await award({ points: 3 })
    const since = encodeURIComponent(new Date(service.clock.now() - HOUR).toISOString())
    const opened = (await read(`from=${since}`)).body.items.map(({ id, amount }) => [id, amount])
    expect(opened).toEqual([
      ['0-1', 5],
      ['3-1', 3],
    ])
    expect((await read(`first=1&from=${since}`)).body.next).toBe('0-1')
    expect((await read(`first=1&from=${since}&after=0-1`)).body.items.map(({ id }) => id)).toEqual(['3-1'])
  })

  it('filters by time newest first, page by page, with opening balances last', async () => {
    await award({ points: 5 })
    await service.database.query('DELETE FROM ledger_entries WHERE space_id = $1', [spaceId])
    await service.database.query('INSERT INTO ledger_openings (space_id, sprint_id) VALUES ($1, 0)', [spaceId])
    while ((await enterSomeOpenings(service.database.kysely, service.clock)) > 0);
    const start = service.clock.now()
    for (let i = 1; i <= 4; i++) {
      service.clock.advance(20 * DAY)
      await award({ points: i }, { points: -i, address: 'bob' })
    }
    const at = (days: number) => new Date(start + days * DAY)
    const newest = async (from: Date | undefined, to: Date | undefined, first: number) => {
      const amounts: number[] = []
      for (let before: EntryPosition | undefined | null; before !== null;) {
        const range = { first, before }
        const page: EntryPage = await readNewest(service.database.kysely, { spaceId, from, to }, range, service.clock)
        amounts.push(...page.entries.map((row) => toEntry(row).amount))
        before = page.next ?? null
      }
      return amounts
    }
    for (const first of [1, 2, 3, 100]) {
      expect(await newest(at(-1), at(60), first)).toEqual([-2, 2, -1, 1, 5])
      expect(await newest(at(40), undefined, first)).toEqual([-4, 4, -3, 3, -2, 2])
      expect(await newest(undefined, at(20), first)).toEqual([5])
    }
  })

  it('finds the versions of any number of entries in a time with one statement', async () => {
    const start = service.clock.now()
    for (let i = 0; i < 40; i++) {
      await award({ points: i })
      service.clock.advance(DAY)
    }
    const [from, to] = [new Date(start + 10 * DAY), new Date(start + 13 * DAY)]
    let page: EntryPage | undefined
    const statements = await statementsOf(service.database, async (kysely) => {
      page = await readNewest(kysely, { spaceId, from, to }, { first: 50 }, service.clock)
    })
    expect(page?.entries.map((row) => toEntry(row).amount)).toEqual([12, 11, 10])
    // The newest version, the versions of the times, the entries, and the opening balances.
    expect(statements).toHaveLength(4)
    expect(await amounts('to=9999-12-31T23:59:59Z&from=1970-01-01T00:00:00Z')).toHaveLength(40)
  })

  it('streams all entries as NDJSON, and continues after an entry', async () => {
    for (let i = 1; i <= 3; i++) await award({ points: i }, { points: i, address: 'bob' })
    const all = (await read()).body.items
    const { type, text } = await read('', { accept: 'application/x-ndjson' })
    expect(type).toContain('application/x-ndjson')
    expect(text).toBe(all.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
    const rest = await read('after=2-1&address=bob', { accept: 'application/x-ndjson' })
    expect(
      rest.text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as LedgerEntry).id),
    ).toEqual(['2-2', '3-2'])
  })

  it.each([
    ['first=0', 'first'],
    ['first=1001', 'first'],
    ['after=nonsense', 'after'],
    ['after=1', 'after'],
    ['address=', 'address'],
    ['address=%00', 'address'],
    ['sprintId=-1', 'sprintId'],
    ['sprintId=1.5', 'sprintId'],
    ['source=gift', 'source'],
    ['source=award&source=quest', 'source'],
    ['from=yesterday', 'from'],
    ['from=2026-13-01T00:00:00Z', 'from'],
    ['from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'to'],
    ['adress=ann', 'adress'],
  ])('rejects %s', async (query, field) => {
    const { status, body } = await read(query)
    expect([status, body.error?.code, body.error?.field]).toEqual([400, 'INVALID_ARGUMENT', field])
    expect(body.error?.message).toContain(field)
  })

  it('rejects a page size for NDJSON', async () => {
    expect((await read('first=5', { accept: 'application/x-ndjson' })).status).toBe(400)
  })

  it('requires a token that may write the space', async () => {
    const as = await ingestToken(service, { spaces: [spaceId + 1000] })
    expect((await read('', { as })).body.error).toMatchObject({ code: 'PERMISSION_DENIED' })
    expect((await read('', { as: await ingestToken(service, { spaces: [spaceId] }) })).status).toBe(200)
    expect((await read('', { as: 'qbi_x' })).status).toBe(401)
    expect((await read('', { space: '99' })).status).toBe(404)
    expect((await read('', { space: 'x' })).status).toBe(400)
  })
})

describe('a page', () => {
  it('reads a limited number of entries, so that rare entries do not take a long time', async () => {
    await award({ points: 8, source: 'rule' })
    await award(...Array.from({ length: 25_000 }, (_, i) => ({ points: 1, address: `m${i}` })))
    await award({ points: 9, source: 'quest' })
    const filter: LedgerFilter = { spaceId, sources: ['quest'] }
    const page = await readPage(service.database.kysely, filter, { first: 10 })
    expect(page).toEqual({ entries: [], next: { version: 2, position: 19_999 } })
    const rest = await readPage(service.database.kysely, filter, { first: 10, after: page.next })
    expect([rest.entries.length, rest.next]).toEqual([1, undefined])
    // A page for people is not empty while there are entries.
    const rare: LedgerFilter = { spaceId, sources: ['rule'] }
    const newest = await readNewest(service.database.kysely, rare, { first: 1 }, service.clock)
    expect([newest.entries.map((row) => toEntry(row).amount), newest.next]).toEqual([[8], undefined])
    // Unless the search for them takes more than a second.
    let time = 0
    const slow = { monotonic: () => (time += 2 * SECOND) }
    const short = await readNewest(service.database.kysely, rare, { first: 1 }, slow)
    expect(short).toMatchObject({ entries: [], next: { version: 2 } })
  })

  it('does not contain entries that are stored while all entries are read', async () => {
    await award({ points: 1 })
    const pages = readAll(service.database.kysely, { spaceId })
    const first = await pages.next()
    await award({ points: 2 })
    expect(first.value).toHaveLength(1)
    expect((await pages.next()).done).toBe(true)
  })
})

describe('questboard ledger export', () => {
  const run = (...args: string[]) =>
    questboard(['ledger', 'export', String(spaceId), ...args], {
      DATABASE_URL: urlOf(service.database.connection),
    })

  it('prints CSV with quoted texts, and reports how many entries it exported', async () => {
    await award({ points: 5, key: 'a,b', reason: 'He said "yes"' }, { points: 2, sprintId: 1, key: 'plain' })
    const time = new Date(service.clock.now()).toISOString()
    const { code, stdout, stderr } = await run()
    expect(stdout).toBe(
      'id,time,address,sprintId,amount,pointsBefore,pointsAfter,sprintBefore,sprintAfter,source,key,reason,actor,reverses,award,pending,availableAt,expiresAt,ruleId,ruleVersion\n' +
        `1-1,${time},ann,,5,,5,,,award,"a,b","He said ""yes""",,,,,,,,\n` +
        `1-2,${time},ann,1,2,5,7,,2,award,plain,,,,,,,,,\n`,
    )
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^exported 2 entries in \d+:\d\d\n$/)])
  })

  it('prints NDJSON that matches the ingest API, with filters', async () => {
    await award({ points: 5 }, { points: 2, address: 'bob' })
    const { stdout } = await run('--format', 'ndjson', '--address', '@Bob', '--quiet')
    expect(stdout).toBe((await read('address=bob', { accept: 'application/x-ndjson' })).text)
    expect(stdout).toContain('"amount":2')
  })

  it.each([
    [['--source', 'gift'], 'source must be'],
    [['--after', 'x'], 'such as 12-3'],
  ])('rejects %j', async (args, text) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(text)])
  })

  it('fails for an unknown space', async () => {
    const { code, stderr } = await questboard(['ledger', 'export', '99'], {
      DATABASE_URL: urlOf(service.database.connection),
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('The space 99 does not exist')])
  })
})
