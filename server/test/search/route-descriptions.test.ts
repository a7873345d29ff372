import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { setLocally } from '../../src/database/set-locally.ts'
import { importRecords } from '../../src/ingest/import-records.ts'
import { MAIN_QUEST, members, startWorld, type World } from '../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'

interface Found {
  id: string
  name: string
  editable: boolean
}

interface Results {
  spaces: Found[]
  quests: (Found & { spaceId: number; spaceName: string; hidden: string | null })[]
  starboards: Found[]
  credentials: Found[]
  members: { spaceId: number; spaceName: string; address: string; username: string; points: number }[]
}

describe('the search', () => {
  let world: World
  let owner: SignedIn
  let reader: SignedIn
  beforeAll(async () => {
    world = await startWorld()
    owner = await signedInBrowser(world.app)
    reader = await signedInBrowser(world.app)
    await importRecords(world.deps, 'spaces', [
      { spaceId: 8001, name: "Cartographers' Guild" },
      { spaceId: 8002, name: 'Guild of On-chain Mapmakers' },
      ...Array.from({ length: 20 }, (_, n) => ({ spaceId: 8100 + n, name: `Crowded ${n}` })),
    ])
    await importRecords(world.deps, 'points', [
      { spaceId: 8001, address: '0x00000000000000000000000000000000000000ab', points: 7, username: 'Zoë Q' },
      { spaceId: 8001, address: '0x00000000000000000000000000000000000000ac', points: 9, username: 'zoëtrope' },
      { spaceId: 8001, address: 'HrXfAbCdEfGhJkLmNpQrStUvWxYz123456789ABCDEFG', points: 3 },
    ])
    await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = 40', [owner.account.id])
  })
  afterAll(() => world.stop())

  const ask = ({ browser }: SignedIn, q: string) => browser.get(`/api/search?q=${encodeURIComponent(q)}`)
  const search = async (q: string, as = reader): Promise<Results> => {
    const response = await ask(as, q)
    expect(response.statusCode, response.body).toBe(200)
    return response.json<Results>()
  }
  const namesOf = (list: { name: string }[]) => list.map(({ name }) => name)

  it('finds names in which each word begins a word, in any order and case', async () => {
    expect(namesOf((await search('guild')).spaces)).toEqual([
      'Aurora Guild',
      "Cartographers' Guild",
      'Guild of On-chain Mapmakers',
    ])
    expect(namesOf((await search('GUILD carto')).spaces)).toEqual(["Cartographers' Guild"])
    expect(namesOf((await search('chain map')).spaces)).toEqual(['Guild of On-chain Mapmakers'])
    expect((await search('uild')).spaces).toEqual([])
  })

  it.each(["'", "a' | b", '!guild', 'guild:*', 'guild & <-> x', '\\', '%', '((('])('takes %s as text', async (q) => {
    expect((await ask(reader, `${q}xx`)).statusCode).toBe(200)
  })

  it('finds an object by its id, before names', async () => {
    await importRecords(world.deps, 'spaces', [{ spaceId: 8003, name: '8001 Nights' }])
    expect(namesOf((await search('8001')).spaces)).toEqual(["Cartographers' Guild", '8001 Nights'])
    expect((await search(MAIN_QUEST)).quests.map(({ id }) => id)).toEqual([MAIN_QUEST])
    expect((await search('999999999999')).spaces).toEqual([])
    const longest = '9223372036854775807'
    await importRecords(world.deps, 'credentials', [
      { id: longest, name: 'Longest', credType: 'EVM_ADDRESS', credSource: 'CSV' },
    ])
    expect(namesOf((await search(longest)).credentials)).toEqual(['Longest'])
    expect((await search('9223372036854775808')).credentials).toEqual([])
  })

  it('shows at most six results of a kind', async () => {
    expect((await search('crowded')).spaces).toHaveLength(6)
  })

  it('finds members by the beginning of the name, with most points first', async () => {
    const found = await search('ZOË')
    expect(found.members).toEqual([
      {
        spaceId: 8001,
        spaceName: "Cartographers' Guild",
        address: expect.stringMatching(/ac$/) as string,
        username: 'zoëtrope',
        points: 9,
      },
      {
        spaceId: 8001,
        spaceName: "Cartographers' Guild",
        address: expect.stringMatching(/ab$/) as string,
        username: 'Zoë Q',
        points: 7,
      },
    ])
  })

  it('finds the members with the most points if many names and addresses match', async () => {
    const numbered = (n: number) => `0x99${n.toString(16).padStart(38, '0')}`
    await importRecords(world.deps, 'points', [
      ...Array.from({ length: 150 }, (_, n) => ({
        spaceId: 8001,
        address: numbered(n),
        points: 1,
        username: `jana ${n}`,
      })),
      { spaceId: 8001, address: numbered(9_999), points: 4, username: 'jana.eth' },
    ])
    for (const text of ['jana', '0x99000'])
      expect((await search(text)).members.map(({ points }) => points)).toEqual([4, 1, 1, 1, 1, 1])
  })

  it('finds members by an address or its beginning', async () => {
    const address = members[0]?.address ?? ''
    expect((await search(address.toUpperCase().replace('0X', '0x'))).members).toMatchObject([{ spaceId: 40, address }])
    expect((await search('0x00000000000000000000000000000000000000A')).members).toHaveLength(2)
    expect((await search('HrXf')).members).toMatchObject([{ points: 3 }])
    expect((await search('hrxf')).members).toEqual([])
  })

  it('finds private quests and drafts for the team of the space and for operators only', async () => {
    const operator = await signedInBrowser(world.app)
    await setOperator(world.database.kysely, operator.account.id, new Date(world.clock.now()))
    const [quest] = await world.database.query<{ name: string }>('SELECT name FROM quests WHERE quest_id = $1', [
      MAIN_QUEST,
    ])
    await world.database.query('UPDATE quests SET is_private = true WHERE quest_id = $1', [MAIN_QUEST])
    expect((await search(MAIN_QUEST)).quests).toEqual([])
    const found = { id: MAIN_QUEST, name: quest?.name, spaceId: 40, hidden: null, editable: true }
    expect((await search(MAIN_QUEST, owner)).quests).toMatchObject([found])
    expect((await search(MAIN_QUEST, operator)).quests).toMatchObject([{ ...found, hidden: 'private' }])
    await world.database.query('UPDATE quests SET is_private = false WHERE quest_id = $1', [MAIN_QUEST])
    expect((await search('GCdraft001')).quests).toEqual([])
    const draft = { id: 'GCdraft001', hidden: 'draft', editable: true }
    expect((await search('GCdraft001', owner)).quests).toMatchObject([draft])
    expect((await search('GCdraft001', operator)).quests).toMatchObject([draft])
  })

  it('says which objects the account may edit: those of its teams, those that it owns, for operators all', async () => {
    const [editor, operator] = [await signedInBrowser(world.app), await signedInBrowser(world.app)]
    await setOperator(world.database.kysely, operator.account.id, new Date(world.clock.now()))
    const team = 'INSERT INTO space_members (space_id, account_id, role, added_at) VALUES (8501, $1, $2, now())'
    const common = { credSource: 'CSV', credType: 'EVM_ADDRESS' }
    await importRecords(
      world.deps,
      'spaces',
      [8501, 8502].map((spaceId) => ({ spaceId, name: `Lantern ${spaceId}` })),
    )
    await importRecords(world.deps, 'credentials', [
      { id: '8511', name: 'Lantern team', curatorSpaceId: 8501, ...common },
      { id: '8512', name: 'Lantern others', curatorSpaceId: 8502, ...common },
      { id: '8513', name: 'Lantern own', ...common },
    ])
    await importRecords(world.deps, 'quests', [
      { id: 'GClantern1', spaceId: 8501, name: 'Lantern one', type: 'Points' },
      { id: 'GClantern2', spaceId: 8502, name: 'Lantern two', type: 'Points' },
    ])
    await importRecords(
      world.deps,
      'starboards',
      ['lantern', 'lantern-own'].map((id) => ({ id, name: 'Lantern voices', type: 'TWITTER' as const })),
    )
    await world.database.query(team, [editor.account.id, 'editor'])
    await world.database.query(team, [reader.account.id, 'viewer'])
    await world.database.query('UPDATE credentials SET owner_account_id = $1 WHERE credential_id = 8513', [
      editor.account.id,
    ])
    await world.database.query("UPDATE starboards SET owner_account_id = $1 WHERE starboard_id = 'lantern-own'", [
      editor.account.id,
    ])
    const editable = async (as: SignedIn) => {
      const { spaces, quests, starboards, credentials } = await search('lantern', as)
      const all = [...spaces, ...quests, ...starboards, ...credentials]
      expect(all).toHaveLength(9)
      return all.flatMap((one) => (one.editable ? [one.id] : []))
    }
    expect(new Set(await editable(editor))).toEqual(new Set(['8501', 'GClantern1', '8511', '8513', 'lantern-own']))
    expect(await editable(reader)).toEqual([])
    expect(await editable(operator)).toHaveLength(9)
  })

  it.each(['', ' ', 'a', '\0\0', 'x'.repeat(101)])('names the field of the invalid search %j', async (q) => {
    expect((await ask(reader, q)).json()).toMatchObject({ error: { code: 'invalid_argument', field: 'q' } })
  })

  it('needs a session', async () => {
    const response = await world.app.fastify.inject({ url: '/api/search?q=guild' })
    expect(response.statusCode).toBe(401)
  })

  it('limits the searches of an account', async () => {
    await world.database.query(
      `INSERT INTO attempt_windows (name, window_start, attempts) VALUES ($1, $2::bigint - $2::bigint % 60, 120)
       ON CONFLICT (name, window_start) DO UPDATE SET attempts = 120`,
      [`search:${owner.account.id}`, Math.floor(world.clock.now() / 1000)],
    )
    const response = await ask(owner, 'guild')
    expect([response.statusCode, response.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)])
  })

  it.each([
    [
      'names of spaces',
      `SELECT space_id FROM spaces WHERE to_tsvector('simple', regexp_replace(name, '[^[:alnum:]]+', ' ', 'g')) @@ to_tsquery('simple', '''gui'':*')`,
      'spaces_by_words',
    ],
    [
      'names of members',
      `SELECT address FROM profiles WHERE coalesce(own_username, username) IS NOT NULL AND lower(coalesce(own_username, username)) COLLATE "C" >= 'zo' AND lower(coalesce(own_username, username)) COLLATE "C" < 'zp'`,
      'profiles_by_name',
    ],
    [
      'addresses of members',
      `SELECT address FROM board_entries e WHERE e.space_id = 40 AND e.sprint_id = 0 AND e.address >= '0xab' COLLATE "C" AND e.address < '0xac' COLLATE "C" ORDER BY address LIMIT 6`,
      'board_entries_pkey',
    ],
  ])('reads %s from an index', async (_, statement, index) => {
    const plan = await world.database.kysely.transaction().execute(async (trx) => {
      await setLocally(trx, { enable_seqscan: 'off' })
      return (await sql<{ 'QUERY PLAN': string }>`EXPLAIN ${sql.raw(statement)}`.execute(trx)).rows
    })
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain(index)
  })
})
