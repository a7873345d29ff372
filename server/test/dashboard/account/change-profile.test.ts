import { createHash } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { MINUTE } from '../../../src/clock.ts'
import { importRecords } from '../../../src/ingest/import-records.ts'
import type { Records } from '../../../src/ingest/records.ts'
import type { Award } from '../../../src/ranking/boards.ts'
import { settleProfileChanges, updateChangedProfiles } from '../../../src/ranking/profile-changes.ts'
import { refreshStarboard } from '../../../src/ranking/starboards/refresh.ts'
import { giveAwards } from '../../support/awards.ts'
import { PAGE, type RanksPage, readAll } from '../../support/boards.ts'
import { startWorld } from '../../support/fixture.ts'
import { holdTransaction } from '../../support/held.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { type TestWallet, testWallet } from '../../support/oauth-wallet.ts'
import { prove } from '../../identity/wallet-proof.ts'

const world = await startWorld()
afterAll(() => world.stop())

let browser: Browser
let wallet: TestWallet
let address: string
beforeEach(async () => {
  world.clock.advance(MINUTE + 1)
  browser = openBrowser(world.app.fastify)
  wallet = testWallet()
  address = wallet.address.toLowerCase()
  await signInWithWallet(browser, wallet)
})

const deps = { database: world.database, clock: world.clock }
const AVATAR = 'https://img.example/me.png'
/** The username of a member without a profile. */
const shortId = (of = address) => ({ username: createHash('md5').update(of).digest('hex').slice(0, 10), avatar: '' })
let names = 0
const freshName = () => `Ada-${names++}`

const award = (...awards: Award[]) =>
  world.database.kysely.transaction().execute((trx) => giveAwards(trx, awards, world.clock))
const setPoints = (...records: Records['points'][]) => importRecords(deps, 'points', records)

async function ranksOf(spaceId: number, sprintId?: number, cursorAfter: string | null = null, first = 1000) {
  const { data, errors } = await world.ask<{ space: { loyaltyPointsRanks: RanksPage } }>(
    `query ($id: Int!, $sprintId: Int, $cursorAfter: String, $first: Int) {
       space(id: $id) { loyaltyPointsRanks(sprintId: $sprintId, cursorAfter: $cursorAfter, first: $first) { ${PAGE} } }
     }`,
    { id: spaceId, sprintId, cursorAfter, first },
  )
  expect(errors).toBeUndefined()
  return data.space.loyaltyPointsRanks
}
async function shownIn(spaceId: number, sprintId?: number, of = address) {
  const found = (await ranksOf(spaceId, sprintId)).list.find((rank) => rank.address.address === of)
  return found && { username: found.address.username, avatar: found.address.avatar }
}
const patch = (changes: object, by = browser) => by.call('PATCH', '/api/profile', changes)
async function show(changes: object = {}) {
  const profile = { username: freshName(), avatar: AVATAR, isPublic: true, ...changes }
  const response = await patch(profile)
  expect(response.statusCode, response.body).toBe(200)
  expect(response.json()).toEqual({ ...profile, isUploaded: false })
  return { username: profile.username, avatar: profile.avatar }
}
const link = (kind: string, other: TestWallet, by = browser) =>
  prove(by, { kind, address: other.address, purpose: 'link' }, ({ message }) => ({ signature: other.sign(message) }))

describe('the profile of an account', () => {
  test('the log has only the fields of the change', async () => {
    for (const changes of [{ isPublic: true }, { isPublic: true, avatar: AVATAR }, { avatar: '' }])
      expect((await patch(changes)).statusCode).toBe(200)
    const { events } = (await browser.get('/api/audit')).json<{ events: { event: string; details: object }[] }>()
    const changes = events.filter(({ event }) => event === 'profile.changed').map(({ details }) => details)
    expect(changes).toHaveLength(3)
    expect(changes).toEqual(
      expect.arrayContaining([{ isPublic: 'true' }, { isPublic: 'true', avatar: AVATAR }, { avatar: '' }]),
    )
  })

  test('is private until its owner makes it public', async () => {
    const profile = (await browser.get('/api/profile')).json<object>()
    expect(profile).toEqual({
      username: expect.stringMatching(/^user-/) as string,
      avatar: '',
      isPublic: false,
      isUploaded: false,
    })
    await award({ spaceId: 42, address, points: 5 })
    expect(await shownIn(42)).toEqual(shortId())
  })
  test('needs a session and the CSRF token', async () => {
    expect((await openBrowser(world.app.fastify).get('/api/profile')).statusCode).toBe(401)
    expect((await openBrowser(world.app.fastify).call('PATCH', '/api/profile', { isPublic: true })).statusCode).toBe(
      401,
    )
    expect((await browser.send({ method: 'PATCH', url: '/api/profile', body: { isPublic: true } })).statusCode).toBe(
      403,
    )
  })
  test.each<[string, object]>([
    ['isPublic', { isPublic: 'yes' }],
    ['username', { username: 'a b' }],
    ['username', { username: 'x'.repeat(41) }],
    ['avatar', { avatar: 'http://img.example/a.png' }],
    ['avatar', { avatar: 'javascript:alert(1)' }],
    ['avatar', { avatar: 'data:image/png;base64,AA' }],
    ['avatar', { avatar: 'https://user:secret@img.example/a.png' }],
    ['avatar', { avatar: `https://img.example/${'a'.repeat(500)}` }],
    ['avatar', { avatar: 5 }],
  ])('rejects and names an invalid %s: %j', async (field, changes) => {
    const response = await patch(changes)
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ error: { field } })
    expect((await browser.get('/api/profile')).json()).toMatchObject({ avatar: '', isPublic: false })
  })
  test('rejects an unknown field', async () => {
    expect((await patch({ public: true })).statusCode).toBe(400)
  })
  test('stores the avatar in the form of the URL parser', async () => {
    const response = await patch({ avatar: ' HTTPS://Img.Example/a"b.png ' })
    expect(response.json()).toMatchObject({ avatar: 'https://img.example/a%22b.png' })
  })
  test('rejects similar names of two accounts, also in concurrent requests', async () => {
    const other = openBrowser(world.app.fastify)
    await signInWithWallet(other)
    const name = freshName()
    const both = await Promise.all([patch({ username: name }), patch({ username: name.toUpperCase() }, other)])
    expect(both.map((response) => response.statusCode).sort()).toEqual([200, 409])
    expect((await patch({ username: 'default' })).json()).toMatchObject({ error: { code: 'username_taken' } })
  })
  test('accepts at most thirty changes an hour', async () => {
    for (let n = 0; n < 30; n++) expect((await patch({ isPublic: false })).statusCode).toBe(200)
    const late = await patch({ isPublic: true })
    expect(late.statusCode).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('on every board with a linked address', () => {
  test('shows a public profile at the next read in all spaces and sprints, and keeps the order of rows', async () => {
    await award({ spaceId: 40, sprintId: 1, address, points: 7 }, { spaceId: 42, address, points: 3 })
    const before = (await ranksOf(40)).list.map((rank) => [rank.rank, rank.points, rank.address.address])
    const shown = await show()
    expect([await shownIn(40), await shownIn(40, 1), await shownIn(42)]).toEqual([shown, shown, shown])
    expect((await ranksOf(40)).list.map((rank) => [rank.rank, rank.points, rank.address.address])).toEqual(before)
  })
  test('shows the profile on boards that the address joins later by award or import', async () => {
    const shown = await show()
    await award({ spaceId: 42, address, points: 3 })
    await setPoints({ spaceId: 41, address, points: 9 })
    expect([await shownIn(42), await shownIn(41)]).toEqual([shown, shown])
  })
  test('prefers the profile to an imported name, which returns when the profile is hidden', async () => {
    await setPoints({ spaceId: 42, address, points: 3, username: 'imported', avatar: 'https://img.example/old.png' })
    const shown = await show()
    await setPoints({ spaceId: 42, address, points: 4, username: 'imported anew' })
    expect(await shownIn(42)).toEqual(shown)
    await patch({ isPublic: false })
    expect(await shownIn(42)).toEqual({ username: 'imported anew', avatar: 'https://img.example/old.png' })
  })
  test('shows a new name, a new avatar and a removed avatar', async () => {
    await award({ spaceId: 42, address, points: 3 })
    await show()
    const renamed = await browser.call('PATCH', '/api/account', { username: freshName() })
    const { username } = renamed.json<{ username: string }>()
    expect(await shownIn(42)).toEqual({ username, avatar: AVATAR })
    await patch({ avatar: '' })
    expect(await shownIn(42)).toEqual({ username, avatar: '' })
  })
  test('shows the profile at a linked address and hides it at an unlinked one', async () => {
    const second = testWallet()
    const other = second.address.toLowerCase()
    await award({ spaceId: 42, address: other, points: 3 })
    const shown = await show()
    expect((await link('EVMAddress', second)).statusCode).toBe(200)
    expect(await shownIn(42, undefined, other)).toEqual(shown)
    await browser.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject: other })
    expect(await shownIn(42, undefined, other)).toEqual(shortId(other))
  })
  test('shows the profile at every form of a key: inj1 and 0x', async () => {
    const keplr = testWallet()
    const hex = keplr.address.toLowerCase()
    expect((await link('InjectiveAddress', keplr)).statusCode).toBe(200)
    const { identities } = (await browser.get('/api/identities')).json<{ identities: { subject: string }[] }>()
    const inj = identities.find(({ subject }) => subject.startsWith('inj1'))?.subject as string
    await award({ spaceId: 42, address: hex, points: 3 }, { spaceId: 42, address: inj, points: 4 })
    const shown = await show()
    expect([await shownIn(42, undefined, hex), await shownIn(42, undefined, inj)]).toEqual([shown, shown])
  })
  test('prefers the EVM account if two accounts proved one key as different kinds', async () => {
    const other = openBrowser(world.app.fastify)
    await prove(other, { kind: 'SeiAddress', address: wallet.address }, ({ message }) => ({
      signature: wallet.sign(message),
    }))
    await award({ spaceId: 42, address, points: 3 })
    const sei = freshName()
    await patch({ username: sei, isPublic: true }, other)
    expect(await shownIn(42)).toMatchObject({ username: sei })
    const shown = await show()
    expect(await shownIn(42)).toEqual(shown)
    await patch({ isPublic: false })
    expect(await shownIn(42)).toMatchObject({ username: sei })
  })
  test('removes the name when the account is deleted', async () => {
    await award({ spaceId: 42, address, points: 3 })
    await show()
    expect((await browser.call('DELETE', '/api/account')).statusCode).toBe(204)
    expect(await shownIn(42)).toEqual(shortId())
  })
  test('keeps each row exactly once in a traversal that started before the change', async () => {
    await award({ spaceId: 40, address, points: 3 })
    const first = await ranksOf(40, undefined, null, 7)
    await show()
    const rest = await readAll((cursor) => ranksOf(40, undefined, cursor ?? first.pageInfo.endCursor, 7))
    const seen = [first, ...rest].flatMap((page) => page.list.map((rank) => rank.address.address))
    expect(seen).toHaveLength(first.totalCount)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toContain(address)
  })
})

describe('concurrent changes of boards', () => {
  const settle = async () => {
    await settleProfileChanges(world.database.kysely, world.clock)
    return (await world.database.query<{ address: string }>('SELECT address FROM profile_changes')).map(
      (row) => row.address,
    )
  }
  /** Transactions of other sessions, in any database of the server, may have to end first. */
  const settled = () => expect.poll(settle, { interval: 20 }).toEqual([])

  test('corrects a row at once when a concurrent award stores the old name', async () => {
    // The award runs while the profile changes, and its member is not on a board yet.
    const held = await holdTransaction(world.database.kysely)
    await giveAwards(held, [{ spaceId: 42, address, points: 3 }], world.clock)
    const shown = await show()
    for (let round = 0; round < 5; round++) expect(await settle()).toContain(address)
    await held.commit().execute()
    expect(await shownIn(42)).toEqual(shortId())
    await updateChangedProfiles(world.database.kysely, world.clock, [address])
    expect(await shownIn(42)).toEqual(shown)
    await settled()
  })
  test('leaves no outdated name after a concurrent import of points', async () => {
    const held = await holdTransaction(world.database.kysely)
    await giveAwards(held, [{ spaceId: 42, address, points: 3 }], world.clock)
    const shown = await show()
    await held.commit().execute()
    expect(await shownIn(42)).toEqual(shortId())
    await setPoints({ spaceId: 40, address: 'somebody-else', points: 1 })
    expect(await shownIn(42)).toEqual(shown)
    await settled()
  })
  test('does not wait for a locked board, and shows the change there later', async () => {
    await award({ spaceId: 42, address, points: 3 })
    const held = await holdTransaction(world.database.kysely)
    await giveAwards(held, [{ spaceId: 42, address: 'somebody', points: 1 }], world.clock)
    const shown = await show()
    expect(await shownIn(42)).toEqual(shortId())
    // The schedule continues with its other tasks.
    const other = testWallet().address.toLowerCase()
    await world.database.query('INSERT INTO profile_changes (address) VALUES ($1)', [other])
    expect(new Set(await settle())).toEqual(new Set([address, other]))
    const barriers = await world.database.query<{ address: string; barrier: number | null }>(
      'SELECT address, barrier FROM profile_changes',
    )
    expect(barriers).toContainEqual({ address, barrier: null })
    expect(barriers.find((change) => change.address === other)?.barrier).not.toBeNull()
    await held.commit().execute()
    await settled()
    expect(await shownIn(42)).toEqual(shown)
  })
  test('shows the last of many concurrent changes on all boards', async () => {
    await award({ spaceId: 40, address, points: 3 }, { spaceId: 42, address, points: 3 })
    const csrf = await browser.csrfToken()
    const send = (body: object) =>
      browser.send({ method: 'PATCH', url: '/api/profile', headers: { 'x-csrf-token': csrf }, body })
    const answers = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        await award({ spaceId: 40, address, points: 1 }, { spaceId: 42, address, points: 1 })
        return send({ username: `${freshName()}-${n}`, isPublic: n % 2 === 0 })
      }),
    )
    expect(answers.map((response) => response.statusCode)).toEqual([200, 200, 200, 200, 200, 200])
    await settled()
    const profile = (await browser.get('/api/profile')).json<{ username: string; isPublic: boolean }>()
    const expected = profile.isPublic ? { username: profile.username, avatar: '' } : shortId()
    expect([await shownIn(40), await shownIn(42)]).toEqual([expected, expected])
  })
})

describe('the choice of the owner on starboards', () => {
  const lookUp = async () => {
    const { data } = await world.ask<Record<'starboard', Record<string, object>>>(
      `query ($a: String!) { starboard(id: "1") {
         twitterHandleByEvmAddress(evmAddress: $a) { twitterHandle isPublic mainAddress }
         userDetail(evmAddress: $a) { twitterHandle isPublic } } }`,
      { a: wallet.address },
    )
    return data.starboard
  }
  const arrange = async (isPublic: boolean) => {
    const username = `owner_${names++}`
    await importRecords(deps, 'users', [{ starboardId: '1', username, userId: `${7_000 + names}`, isPublic }])
    const sampledAt = new Date(world.clock.now() - MINUTE)
    await importRecords(deps, 'samples', [{ starboardId: '1', handle: username, sampledAt, score: '5' }])
    await importRecords(deps, 'links', [{ starboardId: '1', evmAddress: address, handle: username }])
    await refreshStarboard(deps, '1')
    return username
  }
  const both = (part: object) => ({
    twitterHandleByEvmAddress: { ...part, mainAddress: address },
    userDetail: part,
  })

  test('shows the imported handle without a choice of the owner', async () => {
    const twitterHandle = await arrange(true)
    expect(await lookUp()).toEqual(both({ twitterHandle, isPublic: true }))
  })
  test('hides and shows the handle with the profile', async () => {
    const twitterHandle = await arrange(true)
    await patch({ isPublic: false })
    expect(await lookUp()).toEqual(both({ twitterHandle: '', isPublic: false }))
    await patch({ isPublic: true })
    expect(await lookUp()).toEqual(both({ twitterHandle, isPublic: true }))
  })
  test('shows a handle that the import hides when the owner shows the profile', async () => {
    const twitterHandle = await arrange(false)
    expect(await lookUp()).toEqual(both({ twitterHandle: '', isPublic: false }))
    await patch({ isPublic: true })
    expect(await lookUp()).toEqual(both({ twitterHandle, isPublic: true }))
  })
  test('lets the owner of the X identity hide the handle', async () => {
    await arrange(true)
    const [row] = await world.database.query<{ user_id: string }>(
      'SELECT user_id FROM starboard_links JOIN starboard_users USING (starboard_id, handle) WHERE evm_address = $1',
      [address],
    )
    const owner = openBrowser(world.app.fastify)
    const { id } = await signInWithWallet(owner)
    await world.database.query(
      `WITH linked AS (INSERT INTO identity_subjects VALUES ($2, 'Twitter', $1) RETURNING *)
       INSERT INTO identities (account_id, kind, subject, linked_at) SELECT account_id, kind, subject, now() FROM linked`,
      [id, row?.user_id],
    )
    await patch({ isPublic: true })
    await patch({ isPublic: false }, owner)
    expect(await lookUp()).toMatchObject(both({ twitterHandle: '', isPublic: false }))
  })
})
