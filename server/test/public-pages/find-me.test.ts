import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccountAddress } from '../../src/accounts/account.queries.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { startWorld, type World } from '../support/fixture.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'

const SPACE = 7320

describe('GET /s/{slug}/me', () => {
  let world: World
  let member: SignedIn
  let address: string
  beforeAll(async () => {
    world = await startWorld()
    member = await signedInBrowser(world.app)
    const [row] = await world.database.query<{ subject: string }>(
      'SELECT subject FROM identities WHERE account_id = $1',
      [member.account.id],
    )
    address = row?.subject ?? ''
    await importRecords(world.deps, 'spaces', [{ spaceId: SPACE, name: 'Pier' }])
    await world.database.query(`INSERT INTO space_pages VALUES ($1, 'pier', now())`, [SPACE])
  })
  afterAll(() => world.stop())

  const leadsTo = async ({ browser }: Pick<SignedIn, 'browser'>, slug = 'pier') => {
    const response = await browser.get(`/s/${slug}/me`)
    return response.statusCode === 303 ? response.headers.location : response.statusCode
  }

  it('leads to the sign-in, and back', async () => {
    expect(await leadsTo({ browser: openBrowser(world.app.fastify) })).toBe('/sign-in?return=/s/pier/me')
  })

  it('says how to get onto the board, if no address of the account is there', async () => {
    expect(await leadsTo(member)).toBe('/s/pier?me=absent#found')
    const page = (await world.app.fastify.inject('/s/pier?me=absent')).body
    expect(page).toContain('You are not on this leaderboard yet. You appear with your first points.')
    expect(page).toContain('href="/s/pier/quests?state=open"')
  })

  it('replaces that hint by the result of a search', async () => {
    for (const find of ['x', '0x0000000000000000000000000000000000000001']) {
      const page = (await world.app.fastify.inject(`/s/pier?me=absent&find=${find}`)).body
      expect(page.match(/id="found"/g)).toHaveLength(1)
      expect(page).not.toContain('You are not on this leaderboard yet.')
    }
  })

  it('leads to the place of the linked address on the board', async () => {
    await importRecords(world.deps, 'points', [{ spaceId: SPACE, address, points: 5 }])
    expect(await leadsTo(member)).toBe(`/s/pier?find=${address}#found`)
  })

  describe('with an own address', () => {
    const own = '5a0c8f2e-0d6b-4c3a-9a57-1f6f0d1c2b3e'
    let other: SignedIn
    let wallet: string
    beforeAll(async () => {
      other = await signedInBrowser(world.app)
      wallet = other.account.wallet.address.toLowerCase()
      const { kysely } = world.database
      await kysely.transaction().execute((trx) => addAccountAddress(trx, other.account.id, own))
      await importRecords(world.deps, 'points', [{ spaceId: SPACE, address: own, points: 9 }])
    })

    it('leads to the place by the name on the board while only the own address is there', async () => {
      const [row] = await world.database.query<{ username: string }>(
        'SELECT username FROM board_entries WHERE space_id = $1 AND address = $2',
        [SPACE, own],
      )
      expect(await leadsTo(other)).toBe(`/s/pier?find=${row?.username}#found`)
      const page = (await world.app.fastify.inject(`/s/pier?find=${row?.username}`)).body
      const { account } = (await other.browser.get('/api/session')).json<{ account: { marks: string[] } }>()
      const [, found = ''] = page.split('<table id="found">')
      expect(found).toContain(`data-mark="${account.marks[0]}"`)
    })

    it('the page recognises it by a mark, which does not contain the address', async () => {
      const page = (await world.app.fastify.inject('/s/pier')).body
      const { account } = (await other.browser.get('/api/session')).json<{ account: { marks: string[] } }>()
      expect(account.marks).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)])
      expect(page).toContain(`data-mark="${account.marks[0]}"`)
      expect(page).not.toContain(own)
      const { account: wallets } = (await member.browser.get('/api/session')).json<{ account: { marks: string[] } }>()
      expect(wallets.marks).toEqual([])
    })

    it('leads to the place of the wallet when it is on the board', async () => {
      await importRecords(world.deps, 'points', [{ spaceId: SPACE, address: wallet, points: 1 }])
      expect(await leadsTo(other)).toBe(`/s/pier?find=${wallet}#found`)
    })

    it('says how to get onto the board if neither is there', async () => {
      await importRecords(world.deps, 'spaces', [{ spaceId: SPACE + 1, name: 'Dock' }])
      await world.database.query(`INSERT INTO space_pages VALUES ($1, 'dock', now())`, [SPACE + 1])
      expect(await leadsTo(other, 'dock')).toBe('/s/dock?me=absent#found')
    })
  })

  it('has no page for a space that is not published', async () => {
    expect(await leadsTo(member, 'unknown')).toBe(404)
    expect(await leadsTo(member, '%00')).toBe(404)
  })
})
