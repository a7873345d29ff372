import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { runSync } from '../../../src/sync/run-sync.ts'
import { evmNode, NOBODY, staked } from '../../support/evm-node.ts'
import { type Answer as UpstreamAnswer, startUpstream, type Upstream } from '../../support/upstream.ts'
import { BOT_TOKEN, discordApi, GUILD } from '../../sync/platforms/discord-api.ts'
import { BOT_TOKEN as TELEGRAM_TOKEN, CHAT, telegramApi } from '../../sync/platforms/telegram-api.ts'
import { type ContentService, type Editor, type ErrorBody, startContent } from '../arrange.ts'

interface View {
  source: Record<string, unknown> | null
  version: string | null
  publicOnly: boolean
}
interface Trial {
  works: boolean
  message: string | null
  read: number
  invalid: number
  complete: boolean
  holds: boolean | null
  entries: { entry: string; holder: string | null }[]
}

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const WANTED = { spaceId: 40, credType: 'EVM_ADDRESS' }
const PATH = '/api/credentials/500/source'

let upstream: Upstream
let answer: UpstreamAnswer
let service: ContentService
let operator: Editor
let editor: Editor
beforeAll(async () => {
  upstream = await startUpstream((request, response) => answer(request, response))
  service = await startContent({
    settings: {
      QUESTBOARD_OUTGOING_HOSTS: upstream.host,
      QUESTBOARD_DISCORD_SITE: upstream.url,
      QUESTBOARD_TELEGRAM_API: upstream.url,
    },
  })
  ;({ operator } = service)
  await importRecords(service.services, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  const common = { credType: 'EVM_ADDRESS', curatorSpaceId: 40 }
  await importRecords(service.services, 'credentials', [
    { id: '500', name: 'List', credSource: 'REST', ...common },
    { id: '501', name: 'API', credSource: 'API', ...common },
    { id: '503', name: 'Quiz', credSource: 'QUIZ', ...common },
    { id: '504', name: 'Visit', credSource: 'VISIT_LINK', ...common },
    { id: '502', name: 'Discord', ...common, credSource: 'DISCORD_MEMBER', credType: 'DISCORD' },
  ])
  editor = await service.withRole(40, 'editor')
})
afterAll(async () => {
  await service.close()
  await upstream.close()
})

const rest = () => ({
  kind: 'REST',
  url: `${upstream.url}/list?key=secret-of-url`,
  headers: { authorization: 'Bearer secret-of-header' },
  format: 'text',
})

const set = async (who: Editor, source: object, version: string | null) =>
  who.call<View>('PUT', PATH, { source, version })
const view = async (who: Editor = operator) => (await who.get<View>(PATH)).body

describe('the source of a credential', () => {
  it('runs with its secrets, which no response contains', async () => {
    const made = await set(operator, rest(), null)
    expect(made.status, JSON.stringify(made.body)).toBe(200)
    expect(made.body).toMatchObject({
      publicOnly: false,
      source: { kind: 'REST', url: { stored: upstream.host }, headers: { authorization: { stored: '' } } },
    })
    expect(JSON.stringify(await view(await service.withRole(40, 'viewer')))).not.toMatch(/secret-of/)
    const seen: unknown[] = []
    answer = (request, response) => {
      seen.push(request.url, request.headers.authorization)
      response.end(address(1))
    }
    expect(await runSync(service.services, '500')).toMatchObject({ holders: 1 })
    expect(seen).toEqual(['/list?key=secret-of-url', 'Bearer secret-of-header'])
    expect(await service.logOf(operator)).toContainEqual({
      event: 'sync.source-set',
      details: { credential: '500', kind: 'REST' },
    })
  })

  it('keeps stored values that a change sends back', async () => {
    const { source, version } = await view()
    const changed = await set(operator, { ...source, everySeconds: 600 }, version)
    expect(changed.body).toMatchObject({ source: { everySeconds: 600 } })
    const seen: unknown[] = []
    answer = (request, response) => {
      seen.push(request.url, request.headers.authorization)
      response.end(address(1))
    }
    await runSync(service.services, '500')
    expect(seen).toEqual(['/list?key=secret-of-url', 'Bearer secret-of-header'])
  })

  it('never sends a stored key to another host', async () => {
    const { source, version } = await view()
    const moved = await set(operator, { ...source, url: 'https://attacker.example/list' }, version)
    expect([moved.status, moved.body]).toMatchObject([400, { error: { field: 'source.headers.authorization' } }])
    const tried = await editor.call<ErrorBody>('POST', '/api/sources/test', {
      credentialId: '500',
      source: { ...source, url: 'https://attacker.example/list' },
    })
    expect([tried.status, tried.body.error.field]).toEqual([400, 'source.headers.authorization'])
  })

  it('rejects a change that is based on an older version', async () => {
    const { source, version } = await view()
    expect((await set(operator, { ...source, everySeconds: 700 }, version)).status).toBe(200)
    const late = await set(operator, { ...source, everySeconds: 800 }, version)
    expect([late.status, late.body]).toMatchObject([409, { error: { code: 'changed_meanwhile' } }])
    expect((await set(operator, rest(), null)).status).toBe(409)
    expect((await view()).source).toMatchObject({ everySeconds: 700 })
  })

  it('accepts one of two parallel changes of a version', async () => {
    const { source, version } = await view()
    const changes = await Promise.all(
      [710, 720, 730, 740].map((everySeconds) => set(operator, { ...source, everySeconds }, version)),
    )
    expect(changes.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  })

  it('of an editor uses public hosts only', async () => {
    const { version } = await view()
    const refused = await set(editor, rest(), version)
    expect([refused.status, refused.body]).toMatchObject([400, { error: { field: 'source.url' } }])
    const internal = await set(editor, { ...rest(), url: 'http://127.0.0.1:1/list' }, version)
    expect([internal.status, internal.body]).toMatchObject([400, { error: { field: 'source.url' } }])
    const made = await set(editor, { kind: 'REST', url: 'https://lists.example/all', format: 'text' }, version)
    expect([made.status, made.body.publicOnly]).toEqual([200, true])
    expect((await set(operator, rest(), made.body.version)).body.publicOnly).toBe(false)
  })

  it('rejects changes, tests and removals by viewers, and reads by others', async () => {
    const viewer = await service.withRole(40, 'viewer')
    const stranger = await service.someone()
    expect((await set(viewer, rest(), null)).status).toBe(403)
    expect((await viewer.call('DELETE', PATH)).status).toBe(403)
    expect((await viewer.call('POST', '/api/sources/test', { credentialId: '500', source: rest() })).status).toBe(403)
    expect((await stranger.get(PATH)).status).toBe(403)
    expect((await operator.get('/api/credentials/999/source')).status).toBe(404)
  })

  it.each([
    [{ kind: 'MAGIC' }, 'source.kind'],
    [{ kind: 'REST' }, 'source.url'],
    [{ kind: 'API', url: 'https://a.example/{address}' }, 'source.kind'],
    [{ kind: 'REST', url: 'https://a.example', next: { page: {} } }, 'source.next.page.parameter'],
    [{ kind: 'REST', url: { stored: 'a.example' }, token: { stored: '' } }, 'source.token'],
    [{ kind: 'REST', url: 'https://a.example', everySeconds: 1 }, 'source.everySeconds'],
  ])('rejects %j and names the setting', async (source, field) => {
    const { version } = await view()
    const { status, body } = await operator.call<ErrorBody>('PUT', PATH, { source, version })
    expect([status, body.error.field]).toEqual([400, field])
  })

  it('of a platform keeps its token, and an editor can set it', async () => {
    const discord = discordApi()
    discord.members.set('80351110224678912', [])
    ;({ answer } = discord)
    const path = '/api/credentials/502/source'
    const source = { kind: 'DISCORD_MEMBER', guildId: GUILD, botToken: BOT_TOKEN }
    const made = await editor.call<View>('PUT', path, { source, version: null })
    expect([made.status, made.body]).toMatchObject([
      200,
      { publicOnly: true, source: { kind: 'DISCORD_MEMBER', guildId: GUILD, botToken: { stored: '' } } },
    ])
    expect(await runSync(service.services, '502')).toMatchObject({ holders: 1 })
    const changed = { source: { ...made.body.source, everySeconds: 600 }, version: made.body.version }
    expect((await editor.call<View>('PUT', path, changed)).status).toBe(200)
    expect(await runSync(service.services, '502')).toMatchObject({ holders: 1 })
    const other = { kind: 'TELEGRAM_MEMBER', chat: CHAT, botToken: { stored: '' } }
    const tried = await editor.call<ErrorBody>('POST', '/api/sources/test', { ...WANTED, source: other })
    expect([tried.status, tried.body.error.field]).toEqual([400, 'source.botToken'])
  })

  it('can be a quiz, whose answers stay hidden until an operator sets new ones', async () => {
    const path = '/api/credentials/503/source'
    const question = { question: 'Which?', type: 'single', options: ['Sei', 'Sui'], answers: ['Sei'] }
    const made = await editor.call<View>('PUT', path, {
      source: { kind: 'QUIZ', questions: [question] },
      version: null,
    })
    const shown = { ...question, answers: { stored: expect.stringMatching(/^.{12}$/) as string } }
    expect([made.status, made.body]).toMatchObject([200, { source: { kind: 'QUIZ', attempts: 3, questions: [shown] } }])
    const [first] = made.body.source?.questions as [object]
    const more = { question: 'Who?', type: 'text', answers: ['Ada'] }
    const questions = [more, { ...first, question: 'Which one?' }]
    const changed = await editor.call<View>('PUT', path, {
      source: { ...made.body.source, questions },
      version: made.body.version,
    })
    expect([changed.status, changed.body.source?.questions]).toMatchObject([
      200,
      [{ question: 'Who?' }, { ...shown, question: 'Which one?' }],
    ])
    expect(JSON.stringify(changed.body)).not.toContain('Ada')
    const other = { ...changed.body.source, questions: [{ ...first, options: ['Sei', 'Sui', 'Apt'] }] }
    const refused = await editor.call<ErrorBody>('PUT', path, { source: other, version: changed.body.version })
    expect([refused.status, refused.body.error.field]).toEqual([400, 'source.questions.0.answers'])
  })

  it.each([
    [{ kind: 'VISIT_LINK', target: 'http://example.org/' }, 'source.target'],
    [{ kind: 'VISIT_LINK', target: 'https://127.0.0.1/' }, 'source.target'],
    [{ kind: 'VISIT_LINK' }, 'source.target'],
  ])('refuses the link to visit %j of an editor', async (source, field) => {
    const { status, body } = await editor.call<ErrorBody>('PUT', '/api/credentials/504/source', {
      source,
      version: null,
    })
    expect([status, body.error.field]).toEqual([400, field])
  })

  it('stops on removal, and the holders stay', async () => {
    expect((await editor.call('DELETE', PATH)).status).toBe(204)
    expect(await view()).toMatchObject({ source: null, version: null })
    expect((await operator.get('/api/credentials/500')).body).toMatchObject({ itemCount: 1, sourceKind: null })
    expect((await editor.call('DELETE', PATH)).status).toBe(204)
    expect((await service.logOf(editor)).filter(({ event }) => event === 'sync.source-removed')).toHaveLength(1)
  })
})

describe('a test of a source', () => {
  const test = async <T = Trial>(body: object, who = operator) => who.call<T>('POST', '/api/sources/test', body)
  const wanted = WANTED

  it.each([
    { kind: 'QUIZ', questions: [{ question: 'Who?', type: 'text', answers: ['Ada'] }] },
    { kind: 'VISIT_LINK', target: 'https://example.org/' },
  ])('explains what members do for %j', async (source) => {
    expect((await test({ ...wanted, source })).body).toEqual({
      ...{ works: true, read: 0, invalid: 0, complete: true, holds: null, entries: [] },
      message: expect.stringContaining('members become holders when they') as string,
    })
  })

  it.each([0, 2_147_483_648])('rejects %j as the id of the space', async (spaceId) => {
    const { status, body } = await test<ErrorBody>({ ...wanted, spaceId, source: rest() })
    expect([status, body.error]).toMatchObject([
      400,
      { field: 'spaceId', message: expect.stringContaining('from 1 to 2147483647') as string },
    ])
  })

  it('reports the first entries, and stores nothing', async () => {
    answer = (_, response) => void response.end([address(1), 'no address', address(2)].join('\n'))
    const { status, body } = await test({ ...wanted, source: rest() })
    expect([status, body]).toEqual([
      200,
      {
        ...{ works: true, message: null, read: 3, invalid: 1, complete: true, holds: null },
        entries: [
          { entry: address(1), holder: address(1) },
          { entry: 'no address', holder: null },
          { entry: address(2), holder: address(2) },
        ],
      },
    ])
    expect((await operator.get('/api/credentials/500')).body).toMatchObject({ itemCount: 1, sourceKind: null })
  })

  it('stops after the first page', async () => {
    let pages = 0
    answer = (_, response) => {
      pages++
      response.end(Array.from({ length: 1_000 }, (_, n) => address(n)).join('\n'))
    }
    const { body } = await test({ ...wanted, source: { ...rest(), next: { page: { parameter: 'page' } } } })
    expect([body.read, body.entries.length, body.complete, pages]).toEqual([1_000, 20, false, 1])
  })

  it('reports why a source fails', async () => {
    answer = (_, response) => void response.writeHead(403).end()
    const { status, body } = await test({ ...wanted, source: rest() })
    expect([status, body]).toMatchObject([200, { works: false, message: `${upstream.host} responded with status 403` }])
    expect(JSON.stringify(body)).not.toContain('secret-of')
  })

  it('reads the first logs of an event', async () => {
    const node = evmNode()
    node.emitted = [staked(3, address(7), 5), staked(50, address(8), 5)]
    ;({ answer } = node)
    const source = {
      ...{ kind: 'EVM_EVENT', rpcUrl: upstream.url, contract: node.contract, startBlock: 1, maxBlockRange: 10 },
      ...{ event: 'event Staked(address indexed user, uint256 amount)', member: 'user' },
    }
    const { body } = await test({ ...wanted, source })
    expect(body).toMatchObject({ works: true, read: 1, complete: false, entries: [{ holder: address(7) }] })
    expect(await service.database.query('SELECT FROM chain_log_lists')).toEqual([])
    const wrong = await test({ ...wanted, source: { ...source, member: 'amount' } })
    expect([wrong.status, wrong.body]).toMatchObject([400, { error: { field: 'source.member' } }])
  })

  it('reads the first transfers of a contract', async () => {
    const node = evmNode('ERC721')
    node.moves = [
      { block: 3, from: NOBODY, to: address(7), value: 1n },
      { block: 50, from: NOBODY, to: address(8), value: 2n },
    ]
    ;({ answer } = node)
    const source = {
      ...{ kind: 'CONTRACT_NFT_HOLDER', rpcUrl: upstream.url, contract: node.contract, standard: 'ERC721' },
      ...{ startBlock: 1, maxBlockRange: 10 },
    }
    const { body } = await test({ ...wanted, source })
    expect(body).toMatchObject({ works: true, read: 1, complete: false, entries: [{ holder: address(7) }] })
    expect(await service.database.query('SELECT FROM chain_checkpoints')).toEqual([])
    const tooNew = await test({ ...wanted, source: { ...source, startBlock: 1_000 } })
    expect(tooNew.body).toMatchObject({ works: false, message: 'block 1000 (startBlock) is not final yet' })
  })

  it('asks an API about one address', async () => {
    answer = (request, response) => void response.end(request.url?.endsWith(address(1)) ? 'true' : 'false')
    const source = { kind: 'API', url: `${upstream.url}/holds/{address}` }
    const asked = async (one: string) => (await test({ credentialId: '501', source, address: one })).body.holds
    expect([await asked(address(1)), await asked(address(2))]).toEqual([true, false])
    const without = await test<ErrorBody>({ credentialId: '501', source })
    expect([without.status, without.body.error.field]).toEqual([400, 'address'])
  })

  it('reads the members of a platform, also for an editor', async () => {
    const discord = discordApi()
    discord.members.set('80351110224678912', []).set('80351110224678913', [])
    ;({ answer } = discord)
    const source = { kind: 'DISCORD_MEMBER', guildId: GUILD, botToken: BOT_TOKEN }
    const { body } = await test({ spaceId: 40, credType: 'DISCORD', source }, editor)
    expect(body).toMatchObject({ works: true, read: 2, invalid: 0, complete: true })
    const wrong = await test({ spaceId: 40, credType: 'DISCORD', source: { ...source, botToken: 'wrong' } }, editor)
    expect(wrong.body).toMatchObject({ works: false, message: `${upstream.host} responded with status 401` })
    const unfit = await test<ErrorBody>({ ...wanted, source }, editor)
    expect([unfit.status, unfit.body.error.field]).toEqual([400, 'source.kind'])
  })

  it('checks one user of a platform that has no list', async () => {
    const telegram = telegramApi()
    telegram.members.set(777, { status: 'member' })
    ;({ answer } = telegram)
    const source = { kind: 'TELEGRAM_MEMBER', chat: CHAT, botToken: TELEGRAM_TOKEN }
    const asked = async (user?: string) => test<Trial & ErrorBody>({ ...wanted, source, address: user }, editor)
    expect([(await asked('777')).body.holds, (await asked('778')).body.holds]).toEqual([true, false])
    expect((await asked()).body.error.field).toBe('address')
  })

  it('of an editor reaches public hosts only', async () => {
    const refused = await test<ErrorBody>({ ...wanted, source: rest() }, editor)
    expect([refused.status, refused.body.error.field]).toEqual([400, 'source.url'])
    expect((await test<ErrorBody>({ ...wanted, spaceId: undefined, source: rest() }, editor)).status).toBe(403)
    const untyped = await test<ErrorBody>({ spaceId: 40, source: rest() }, editor)
    expect([untyped.status, untyped.body.error.field]).toEqual([400, 'credType'])
  })

  it('has a limit', async () => {
    const someone = await service.withRole(40, 'editor')
    const source = { kind: 'CSV', url: 'https://nowhere.invalid/list' }
    await service.database.query(`INSERT INTO attempt_windows (name, window_start, attempts) VALUES ($1, $2, 60)`, [
      `source-test:${someone.account.id}`,
      Math.floor(service.clock.now() / 3_600_000) * 3600,
    ])
    expect((await test({ ...wanted, source }, someone)).status).toBe(429)
  })
})
