import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { BY_COMMAND, ensureBan, type InTransaction } from '../../../src/bans/bans.ts'
import { banCommand } from '../../../src/command/ban.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { confirm, offerOf } from '../../identity/merging.ts'
import { prove } from '../../identity/wallet-proof.ts'
import { giveAwards } from '../../support/awards.ts'
import { waitingSessions } from '../../support/database.ts'
import { holdLocks } from '../../support/held.ts'
import { startWorld, type World } from '../../support/fixture.ts'
import { openBrowser } from '../../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { testWallet } from '../../support/oauth-wallet.ts'
import { address, bansFixture } from '../arrange.ts'

const SPACE = 42

let world: World
let operator: SignedIn
let fixture: ReturnType<typeof bansFixture>
beforeAll(async () => {
  world = await startWorld()
  operator = await signedInBrowser(world.app)
  await setOperator(world.database.kysely, operator.account.id, new Date(world.clock.now()))
  fixture = bansFixture(world)
})
afterAll(() => world.stop())

interface Answer {
  id: string
  addresses: string[]
  account: { username: string } | null
  endedAt: string | null
  error: { code: string; field?: string; message: string }
}

const call = async (method: 'POST' | 'GET', path: string, body?: unknown, { browser } = operator) => {
  const url = `/api/operator/bans${path}`
  const response = method === 'GET' ? await browser.get(url) : await browser.call(method, url, body)
  return { status: response.statusCode, body: response.json<Answer & { items: Answer[]; next: string | null }>() }
}
const ban = (body: object) => call('POST', '', { reason: 'Bots', ...body })
const award = (of: string, points = 1) =>
  world.database.kysely
    .transaction()
    .execute((trx) => giveAwards(trx, [{ spaceId: SPACE, address: of, points }], world.clock))

describe('the API of operators', () => {
  it.each(['?account=%00', `?account=${'x'.repeat(201)}`, '/subject?account=%00'])(
    'rejects %s and names the account',
    async (query) => {
      const { status, body } = await call('GET', query)
      expect([status, body.error]).toMatchObject([400, { code: 'invalid_argument', field: 'account' }])
    },
  )

  it('rejects other accounts and visitors', async () => {
    const [other, nobody] = [await signedInBrowser(world.app), openBrowser(world.app.fastify)]
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['POST', `/${operator.account.id}/lift`],
    ] as const) {
      expect((await call(method, path, {}, other)).status).toBe(403)
      expect((await call(method, path, {}, { ...other, browser: nobody })).status).toBe(401)
    }
  })

  it.each([
    [{ address: address(1), reason: '' }, 400, 'reason'],
    [{ address: address(1), reason: 'x'.repeat(501) }, 400, 'reason'],
    [{ address: 'x'.repeat(91) }, 400, 'address'],
    [{ address: ' ' }, 400, 'address'],
    [{ address: '0x12' }, 400, 'address'],
    [{ address: '0x5e5e…5e5e' }, 400, 'address'],
    [{ address: `${address(1).slice(0, -1)}O` }, 400, 'address'],
    [{ address: `${address(1)}1` }, 400, 'address'],
    [{ address: `evm:${address(1).slice(0, -1)}` }, 400, 'address'],
    [{}, 400, 'account'],
    [{ address: address(1), account: 'someone' }, 400, 'account'],
    [{ address: address(1), spaceId: 0 }, 400, 'spaceId'],
    [{ address: address(1), spaceId: '40' }, 400, 'spaceId'],
    [{ address: address(1), endsAt: 'tomorrow' }, 400, 'endsAt'],
    [{ address: address(1), endsAt: '2020-01-01T00:00:00Z' }, 400, 'endsAt'],
    [{ address: address(1), until: 'x' }, 400, 'until'],
    [{ address: address(1), spaceId: 4_000 }, 404, undefined],
    [{ account: 'no such account' }, 404, undefined],
  ])('rejects %j and stores nothing', async (body, status, field) => {
    const answer = await ban(body)
    expect([answer.status, answer.body.error.field]).toEqual([status, field])
    expect(await world.database.query('SELECT FROM bans')).toEqual([])
  })

  it('says that the account and the address are missing, or both given', async () => {
    expect((await ban({})).body.error.message).toBe('account is missing; name an account or an address')
    expect((await ban({ account: 'a', address: 'b' })).body.error.message).toMatch(
      /^account and address are both given/,
    )
  })

  it.each(['0x12', '0x5e5e…5e5e'])('says which addresses it allows in place of %s', async (part) => {
    expect((await ban({ address: part })).body.error.message).toBe(
      'address must be a whole wallet address (after 0x: 40, 64 or 16 hex digits), a mail address or a handle',
    )
  })

  it('bans an address in its canonical form, lists the ban, and lifts it once', async () => {
    const { status, body } = await ban({
      address: `EVM:${address(0xabc).toUpperCase().replace('0X', '0x')}`,
      spaceId: SPACE,
      endsAt: '2030-01-01T00:00:00+01:00',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      account: null,
      address: address(0xabc),
      addresses: [address(0xabc)],
      spaceId: SPACE,
      reason: 'Bots',
      createdBy: operator.account.id,
      endsAt: '2029-12-31T23:00:00.000Z',
      endedAt: null,
    })
    expect((await ban({ address: address(0xabc), spaceId: SPACE })).body.error).toMatchObject({
      code: 'already_banned',
    })
    await ban({ address: address(0xabc) })
    const listed = async (query: string) => (await call('GET', query)).body.items.map(({ id }) => id)
    expect(await listed(`?address=${address(0xabc)}`)).toHaveLength(2)
    expect(await listed(`?space=${SPACE}`)).toContain(body.id)
    expect(await listed('?space=41')).not.toContain(body.id)
    expect(await listed('?state=ended')).toEqual([])
    expect((await call('GET', '?state=old')).body.error.field).toBe('state')
    expect((await call('GET', '?space=x')).body.error.field).toBe('space')
    expect((await call('GET', '?account=nobody')).status).toBe(404)
    expect((await call('GET', '?after=x')).status).toBe(404)
    const lifted = await call('POST', `/${body.id}/lift`)
    expect(lifted.body).toMatchObject({ id: body.id, addresses: [], endCause: 'lifted', endedBy: operator.account.id })
    expect((await call('POST', `/${body.id}/lift`)).body.error).toMatchObject({ code: 'ban_ended' })
    expect((await call('POST', `/${operator.account.id}/lift`)).status).toBe(404)
    expect(await listed('?state=ended')).toEqual([body.id])
  })

  it('lets an award of a person say that the member is banned', async () => {
    const { body } = await ban({ address: 'zoe' })
    const answer = async () => {
      const request = { address: 'zoe', points: 5, reason: 'Meetup' }
      return (await operator.browser.call('POST', `/api/spaces/${SPACE}/awards`, request)).json<object>()
    }
    expect(await answer()).toMatchObject({ status: 'applied', banned: true })
    await fixture.lift(body.id)
    expect(await answer()).not.toHaveProperty('banned')
  })

  it('finds a banned member for an award, also by an address that looks incomplete', async () => {
    await importRecords(world.deps, 'points', [{ spaceId: SPACE, address: '0x6f6f…6f6f', username: 'Ines', points: 4 }])
    const { body } = await ban({ address: '0x6f6f…6f6f' })
    const members = async (name: string) => {
      const path = `/api/spaces/${SPACE}/members?${new URLSearchParams({ name }).toString()}`
      return (await operator.browser.get(path)).json<object>()
    }
    const found = { list: [{ address: '0x6f6f…6f6f', username: 'Ines', points: 4 }], complete: true }
    expect([await members('0x6F6F…6F6F'), await members('ines')]).toEqual([found, found])
    const request = { address: '0x6f6f…6f6f', points: 5, reason: 'Meetup' }
    const response = await operator.browser.call('POST', `/api/spaces/${SPACE}/awards`, request)
    expect(response.json()).toMatchObject({ status: 'applied', banned: true })
    await fixture.lift(body.id)
    expect(await members('ines')).toMatchObject({ list: [{ points: 9 }] })
  })

  it('bans a handle that begins with 0x', async () => {
    const { status, body } = await ban({ address: '@0xMaki' })
    expect([status, body.addresses]).toEqual([201, ['0xmaki']])
    await fixture.lift(body.id)
  })

  it('bans a member of a board whose name looks like a part of an address', async () => {
    await award('0x5e5e…5e5e')
    const { status, body } = await ban({ address: '0x5E5E…5E5E' })
    expect([status, body.addresses]).toEqual([201, ['0x5e5e…5e5e']])
    await fixture.lift(body.id)
  })

  it('shows on which boards a ban changes something, before and after it', async () => {
    await award(address(0x5eed), 5)
    const subject = async (query: string) =>
      (await operator.browser.get(`/api/operator/bans/subject?${query}`)).json<object>()
    const board = { spaceId: SPACE, name: expect.any(String) as string }
    const found = { account: null, addresses: [address(0x5eed)], boards: [board], accountOfName: null }
    expect(await subject(`address=${address(0x5eed).toUpperCase().replace('0X', '0x')}`)).toEqual(found)
    expect((await ban({ address: address(0x5eed), spaceId: 41 })).body).toMatchObject({
      boards: [],
      spaceName: 'Beacon',
    })
    expect((await ban({ address: address(0x5eed) })).body).toMatchObject({
      boards: [board],
      createdByUsername: operator.account.username,
    })
    expect(await subject(`address=${address(0x5eed)}`)).toEqual(found)
    const { id, username } = operator.account
    expect(await subject(`account=${username}`)).toMatchObject({ account: { id, username }, boards: [] })
    expect(await subject('account=nobody')).toMatchObject({ error: { code: 'not_found' } })
    for (const query of ['', 'account=a&address=b'])
      expect(await subject(query)).toMatchObject({ error: { field: 'account' } })
    expect(await subject('address=')).toMatchObject({ error: { field: 'address' } })
  })

  it('finds the account whose username or ID is given as an address', async () => {
    const subject = async (text: string) =>
      (await operator.browser.get(`/api/operator/bans/subject?address=${encodeURIComponent(text)}`)).json<object>()
    const { id, username } = operator.account
    const accountOfName = { id, username }
    for (const text of [` @${username.toUpperCase()} `, id])
      expect(await subject(text)).toMatchObject({ account: null, boards: [], accountOfName })
    await award(username.toLowerCase(), 5)
    expect(await subject(username)).toMatchObject({
      addresses: [username.toLowerCase()],
      boards: [{ spaceId: SPACE }],
      accountOfName,
    })
    expect(await subject('nobody-has-this-name')).toMatchObject({ accountOfName: null })
    expect(await subject('x'.repeat(91))).toMatchObject({
      error: {
        field: 'address',
        message: 'address must be an address, a mail address or a handle of at most 90 bytes',
      },
    })
  })

  it('counts the bans that end within a week in the inbox', async () => {
    const ending = async () =>
      (await operator.browser.get('/api/operator/inbox')).json<{ bansEnding: number }>().bansEnding
    const before = await ending()
    const day = (days: number) => new Date(world.clock.now() + days * 86_400_000).toISOString()
    await ban({ address: address(0xe1), endsAt: day(6) })
    await ban({ address: address(0xe2), endsAt: day(8) })
    await ban({ address: address(0xe3) })
    expect(await ending()).toBe(before + 1)
  })

  it('pages through bans, newest first', async () => {
    for (let n = 0; n < 51; n++) await fixture.ban({ address: address(7_000 + n) }, { spaceId: 41 })
    const first = (await call('GET', '?space=41')).body
    expect(first.items).toHaveLength(50)
    const { items, next } = (await call('GET', `?space=41&after=${first.next}`)).body
    expect(next).toBeNull()
    const seen = [...first.items, ...items].map(({ id }) => id)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThan(50)
  })

  it('locks the operator after an account with a smaller id, like other changes by operators', async () => {
    const accounts = [await signedInBrowser(world.app), await signedInBrowser(world.app)]
    const [subject, banning] = accounts.toSorted((a, b) => (a.account.id < b.account.id ? -1 : 1)) as [
      SignedIn,
      SignedIn,
    ]
    const { kysely, pool } = world.database
    await setOperator(kysely, banning.account.id, new Date(world.clock.now()))
    const lock = 'SELECT 1 FROM accounts WHERE account_id = $1 FOR UPDATE NOWAIT'
    const { release } = await holdLocks(pool, [lock, [subject.account.id]])
    const banned = call('POST', '', { account: subject.account.id, reason: 'Bots' }, banning)
    await expect.poll(() => waitingSessions(world.database)).toBe(1)
    const free = await pool.query(lock, [banning.account.id])
    await release()
    expect([free.rowCount, (await banned).status]).toEqual([1, 201])
  })
})

describe('a ban of an account', () => {
  it('includes addresses that the account links later and those that it unlinks, and allows sign-ins', async () => {
    const { browser, account } = await signedInBrowser(world.app)
    const own = account.wallet.address.toLowerCase()
    await award(own)
    const { body } = await ban({ account: account.username })
    expect([body.account?.username, body.addresses]).toEqual([account.username, [own]])
    expect(Object.keys(await fixture.board(SPACE))).not.toContain(own)

    const wallet = testWallet()
    const later = wallet.address.toLowerCase()
    await award(later, 5)
    expect(await fixture.board(SPACE)).toMatchObject({ [later]: 5 })
    const linked = await prove(
      browser,
      { kind: 'EVMAddress', address: wallet.address, purpose: 'link' },
      ({ message }) => ({ signature: wallet.sign(message) }),
    )
    expect(linked.statusCode).toBe(200)
    expect(Object.keys(await fixture.board(SPACE))).not.toContain(later)
    const gone = await browser.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject: later })
    expect(gone.statusCode, gone.body).toBeLessThan(300)
    const [listed] = (await call('GET', `?account=${account.id}`)).body.items
    expect(listed?.addresses).toEqual([own, later].toSorted())
    await call('POST', `/${body.id}/lift`)
    expect(await fixture.board(SPACE)).toMatchObject({ [own]: 1, [later]: 5 })
  })

  it('applies to the account that the banned account is merged into', async () => {
    const [banned, kept] = [await signedInBrowser(world.app), await signedInBrowser(world.app)]
    const addresses = [banned, kept].map(({ account }) => account.wallet.address.toLowerCase())
    for (const own of addresses) await award(own, 3)
    const { body } = await ban({ account: banned.account.id, spaceId: SPACE })
    const { id } = await offerOf(kept.browser, banned.account.wallet)
    expect((await confirm(kept.browser, id)).statusCode).toBe(200)
    const [listed] = (await call('GET', `?account=${kept.account.id}`)).body.items
    expect(listed).toMatchObject({ id: body.id, addresses: addresses.toSorted() })
    for (const own of addresses) expect(Object.keys(await fixture.board(SPACE))).not.toContain(own)
  })

  it('remains for the addresses of an account that its user deletes', async () => {
    const { browser, account } = await signedInBrowser(world.app)
    const { body } = await ban({ account: account.id })
    expect((await browser.call('DELETE', '/api/account', { username: account.username })).statusCode).toBe(204)
    const [listed] = (await call('GET', `?address=${account.wallet.address}`)).body.items
    expect(listed).toMatchObject({
      id: body.id,
      account: { id: account.id, username: null },
      addresses: [account.wallet.address.toLowerCase()],
    })
  })
})

describe('questboard ban', () => {
  const run = async (...args: string[]): Promise<unknown> => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      const command = banCommand(async (work) => work(world.deps))
      await command.exitOverride().parseAsync([...args, '--json'], { from: 'user' })
      return JSON.parse(String(print.mock.calls.at(-1)?.[0]))
    } finally {
      print.mockRestore()
    }
  }

  it('creates, lists and lifts a ban', async () => {
    const created = (await run('create', '--address', '@Ann', '--space', String(SPACE), '--reason', 'Bots')) as Answer
    expect(created).toMatchObject({ address: 'ann', spaceId: SPACE, createdBy: null, addresses: ['ann'] })
    expect(await run('list', '--address', 'ann')).toMatchObject([{ id: created.id }])
    expect(await run('lift', created.id)).toMatchObject({ endCause: 'lifted' })
    expect(await run('list', '--address', 'ann')).toEqual([])
    expect(await run('list', '--address', 'ann', '--ended')).toMatchObject([{ id: created.id }])
  })

  it('rejects an unusable ban', async () => {
    await expect(run('create', '--reason', 'x')).rejects.toThrow('--account or --address is missing')
    const both = ['--address', 'x', '--account', operator.account.id]
    await expect(run('create', '--reason', 'x', ...both)).rejects.toThrow('--account and --address are both given')
    await expect(run('create', '--address', 'x', '--reason', 'x', '--until', 'soon')).rejects.toThrow('endsAt must be')
    await expect(run('create', '--address', '0x12', '--reason', 'x')).rejects.toThrow('address must be a whole')
    await expect(run('lift', '00000000-0000-4000-8000-000000000000')).rejects.toThrow('Ban not found')
  })

  it.each(['address', 'account'])(
    'creates one ban if two commands ban the same %s at the same time',
    async (subject) => {
      const { id } = (await signedInBrowser(world.app)).account
      const request = {
        [subject]: subject === 'account' ? id : address(77),
        spaceId: null,
        reason: 'Bots',
        endsAt: null,
      }
      const inTransaction: InTransaction = (work) => world.database.kysely.transaction().execute(work)
      const ensure = (run: InTransaction) => ensureBan(world.deps, request, BY_COMMAND, run)
      let second: ReturnType<typeof ensure> | undefined
      const first = await ensure((work) =>
        inTransaction(async (trx) => {
          const result = await work(trx)
          let hasEnded = false
          second = ensure(inTransaction).finally(() => (hasEnded = true))
          await expect.poll(async () => hasEnded || (await waitingSessions(world.database)) > 0).toBe(true)
          return result
        }),
      )
      expect([first.isNew, await second]).toEqual([true, { ban: first.ban, isNew: false }])
    },
  )
})
