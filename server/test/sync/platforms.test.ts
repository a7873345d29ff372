import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startUpstream } from '../support/upstream.ts'
import { address } from '../support/evm-node.ts'
import { checksummed } from '../../src/addresses/evm-checksum.ts'
import { syncFixtureWith } from './arrange.ts'
import { BOT_TOKEN as DISCORD_TOKEN, type DiscordApi, discordApi, GUILD, ROLE } from './platforms/discord-api.ts'
import { type GithubApi, githubApi, REPOSITORY, TOKEN as GITHUB_TOKEN } from './platforms/github-api.ts'
import { type SnapshotApi, snapshotApi } from './platforms/snapshot-api.ts'
import { MINT, owner, type SolanaNode, solanaNode } from './platforms/solana-node.ts'

let discord: DiscordApi
let github: GithubApi
let snapshot: SnapshotApi
let solana: SolanaNode
const upstreams = {
  discord: await startUpstream((request, response) => discord.answer(request, response)),
  github: await startUpstream((request, response) => github.answer(request, response)),
  snapshot: await startUpstream((request, response) => snapshot.answer(request, response)),
  solana: await startUpstream((request, response) => solana.answer(request, response)),
}
const fixture = await syncFixtureWith(
  {
    QUESTBOARD_DISCORD_SITE: upstreams.discord.url,
    QUESTBOARD_GITHUB_API: upstreams.github.url,
    QUESTBOARD_SNAPSHOT_API: `${upstreams.snapshot.url}/graphql`,
  },
  [upstreams.solana],
)
const { credential, run, holders, pauses, checks, deps } = fixture

beforeEach(() => {
  discord = discordApi()
  github = githubApi()
  snapshot = snapshotApi()
  solana = solanaNode()
  pauses.length = 0
})
afterAll(async () => {
  await fixture.close()
  await Promise.all(Object.values(upstreams).map((one) => one.close()))
})

const held = async (id: string, holder: string) => (await checks.fresh(id, holder)).held
const user = (n: number) => String(80351110224678000n + BigInt(n))

describe('DISCORD_MEMBER', () => {
  const member = (more: object = {}) =>
    credential(
      { kind: 'DISCORD_MEMBER', guildId: GUILD, botToken: DISCORD_TOKEN, ...more },
      { credType: 'DISCORD', credSource: 'DISCORD_MEMBER' },
    )

  test('lists all members by id over several pages', async () => {
    for (let n = 1; n <= 2_300; n++) discord.members.set(user(n), [])
    const id = await member()
    await run(id)
    expect(await holders(id)).toHaveLength(2_300)
    expect(upstreams.discord.requests.length).toBe(3)
  })

  test('lists only members with the role', async () => {
    discord.members.set(user(1), [ROLE]).set(user(2), ['41771983423143937'])
    const id = await member({ roleId: ROLE })
    await run(id)
    expect(await holders(id)).toEqual([user(1)])
  })

  test('checks one member, also without the intent that lists need', async () => {
    discord.intent = false
    discord.members.set(user(1), [ROLE]).set(user(2), [])
    const id = await member({ roleId: ROLE })
    expect([await held(id, user(1)), await held(id, user(2)), await held(id, user(3))]).toEqual([true, false, false])
    await expect(run(id)).rejects.toThrow('responded with status 403')
  })

  test('waits as long as Discord asks', async () => {
    discord.limited = 1.5
    const id = await member()
    await run(id)
    expect(pauses).toEqual([1_500])
  })

  test('reports a server that the bot cannot see, and does not report that it has no members', async () => {
    const id = await member({ guildId: '197038439483310087' })
    await expect(held(id, user(1))).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    await expect(run(id)).rejects.toThrow('responded with status 404')
  })
})

describe('GITHUB_CONTRIBUTOR', () => {
  const contributor = (more: object = {}) =>
    credential(
      { kind: 'GITHUB_CONTRIBUTOR', repository: REPOSITORY, token: GITHUB_TOKEN, ...more },
      { credType: 'GITHUB', credSource: 'GITHUB_CONTRIBUTOR' },
    )
  const crowd = (count: number) => {
    for (let n = 1; n <= count; n++) {
      github.users.set(n, `user-${n}`)
      github.commits.set(n, n)
    }
  }

  test('lists contributors by id over several pages, with enough commits', async () => {
    crowd(250)
    const all = await contributor()
    await run(all)
    expect(await holders(all)).toHaveLength(250)
    const busy = await contributor({ minimum: 100 })
    await run(busy)
    expect(await holders(busy)).toHaveLength(151)
  })

  test('checks one user by the immutable id', async () => {
    crowd(3)
    const id = await contributor({ minimum: 2 })
    expect([await held(id, '1'), await held(id, '2'), await held(id, '404'), await held(id, 'user-3')]).toEqual([
      false,
      true,
      false,
      false,
    ])
    // The login has a new owner.
    github.users.set(2, 'renamed').set(9, 'user-2')
    expect([await held(id, '2'), await held(id, '9')]).toEqual([true, false])
  })

  test('lists nobody for an empty repository', async () => {
    github.empty = true
    const id = await contributor()
    await run(id)
    expect([await holders(id), await held(id, '1')]).toEqual([[], false])
  })

  test.each([
    ['Retry-After', { 'retry-after': '7' }, 7_000],
    ['the reset of the rate limit', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'RESET' }, 30_000],
  ])('waits for %s', async (_, headers, expected) => {
    const reset = String(Math.ceil(deps.clock.now() / 1_000) + 30)
    github.limited = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === 'RESET' ? reset : value]),
    )
    await run(await contributor())
    expect(pauses).toHaveLength(1)
    expect(Math.abs((pauses[0] as number) - expected)).toBeLessThanOrEqual(1_000)
  })
})

describe('GITHUB_STAR', () => {
  const star = () =>
    credential({ kind: 'GITHUB_STAR', repository: REPOSITORY, token: GITHUB_TOKEN }, { credType: 'GITHUB' })

  test('lists stargazers by id, and needs the token of a collaborator', async () => {
    for (let n = 1; n <= 120; n++) {
      github.users.set(n, `user-${n}`)
      github.stars.set(n, [REPOSITORY])
    }
    const id = await star()
    await run(id)
    expect(await holders(id)).toHaveLength(120)
    github.collaborator = false
    await expect(run(id)).rejects.toThrow('responded with status 403')
  })

  test('checks the newest stars of one user, and does not decide if there are too many', async () => {
    const others = (count: number) => Array.from({ length: count }, (_, n) => `other/repository-${n}`)
    github.users.set(1, 'one').set(2, 'two').set(3, 'three')
    github.stars
      .set(1, [...others(150), 'Octocat/hello-world'])
      .set(2, others(30))
      .set(3, others(600))
    const id = await star()
    expect([await held(id, '1'), await held(id, '2'), await held(id, '3')]).toEqual([true, false, undefined])
  })
})

describe('SNAPSHOT_ORG', () => {
  const PROPOSAL = '0x586de5bf366820c4369c041b0bbad2254d78fafe1dcc1528c1ed661bb4dfb671'
  const voted = (more: object) => credential({ kind: 'SNAPSHOT_ORG', ...more }, { credSource: 'SNAPSHOT_ORG' })
  const vote = (n: number, created: number, proposal = PROPOSAL) => ({
    voter: checksummed(address(n)),
    created,
    proposal,
    space: 'ens.eth',
  })

  test('lists the voters of a proposal over several pages, many of them with the same time', async () => {
    for (let n = 1; n <= 3_500; n++) snapshot.votes.push(vote(n, 1_700_000_000 + Math.floor(n / 1_500)))
    snapshot.votes.push(vote(9_999, 1_700_000_009, '0xother'))
    const id = await voted({ proposal: PROPOSAL, apiKey: 'key-of-the-operator' })
    await run(id)
    expect(await holders(id)).toHaveLength(3_500)
    expect(new Set(snapshot.apiKeys)).toEqual(new Set(['key-of-the-operator']))
  })

  test('lists the voters of a space once', async () => {
    snapshot.votes.push(vote(1, 1), vote(1, 2, '0xother'), vote(2, 3, '0xother'))
    const id = await voted({ space: 'ens.eth' })
    await run(id)
    expect(await holders(id)).toEqual([address(1), address(2)])
  })

  test('checks one address, which the hub stores with a checksum', async () => {
    const voter = '0x52908400098527886e0f7030069857d2e4169ee7'
    snapshot.votes.push({ ...vote(1, 1), voter: checksummed(voter) })
    const id = await voted({ proposal: PROPOSAL })
    expect([await held(id, voter), await held(id, address(2))]).toEqual([true, false])
  })
})

describe('SOLANA_TOKEN_HOLDER', () => {
  const token = (more: object = {}) =>
    credential(
      { kind: 'SOLANA_TOKEN_HOLDER', rpcUrl: upstreams.solana.url, mint: MINT, ...more },
      { credType: 'SOLANA_ADDRESS', credSource: 'WALLET_BALANCE' },
    )
  const account = (n: number, amount: bigint, more: object = {}) => ({
    program: 'token',
    owner: owner(n),
    mint: MINT,
    amount,
    ...more,
  })

  test('lists owners by the sum of their accounts', async () => {
    solana.accounts.push(account(1, 60n), account(1, 50n), account(2, 99n), account(3, 0n))
    solana.accounts.push(account(4, 500n, { mint: owner(50) }), account(5, 500n, { program: 'token-2022' }))
    const id = await token({ minimum: '100' })
    await run(id)
    expect(await holders(id)).toEqual([owner(1)])
    const any = await token({ minimum: '0' })
    await run(any)
    expect(await holders(any)).toEqual([owner(1), owner(2)].toSorted())
  })

  test('lists owners of a mint of Token-2022, with and without extensions', async () => {
    solana.accounts.push(account(1, 5n, { program: 'token-2022', length: 170 }))
    solana.accounts.push(account(2, 5n, { program: 'token-2022' }), account(3, 5n))
    const id = await token({ program: 'token-2022' })
    await run(id)
    expect(await holders(id)).toEqual([owner(1), owner(2)].toSorted())
  })

  test('checks one owner', async () => {
    solana.accounts.push(account(1, 60n), account(1, 50n), account(2, 60n))
    const id = await token({ minimum: '100' })
    expect([await held(id, owner(1)), await held(id, owner(2)), await held(id, owner(3))]).toEqual([true, false, false])
  })

  test('reports the error of a node that does not list accounts', async () => {
    solana.fails = { code: -32010, message: 'excluded from account secondary indexes' }
    await expect(run(await token())).rejects.toThrow('excluded from account secondary indexes')
  })
})

describe('a secret of a source', () => {
  test('is neither in the database nor in errors', async () => {
    const id = await credential(
      { kind: 'DISCORD_MEMBER', guildId: GUILD, botToken: DISCORD_TOKEN },
      { credType: 'DISCORD', credSource: 'DISCORD_MEMBER' },
    )
    const [row] = await deps.database.query<{ source: string }>(
      'SELECT source::text FROM credential_sources WHERE credential_id = $1',
      [id],
    )
    expect(row?.source).toContain('discord.com')
    expect(row?.source).not.toContain(DISCORD_TOKEN)
  })
})
