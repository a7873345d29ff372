import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { ServerResponse } from 'node:http'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { setSource } from '../../../src/sync/set-source.ts'
import { claimsFixture } from '../../claims/arrange.ts'
import { ask } from '../../support/ask.ts'
import { address } from '../../support/evm-node.ts'
import { createPersonas } from '../../support/personas.ts'
import { startService } from '../../support/service.ts'
import { type Answer, startUpstream } from '../../support/upstream.ts'
import { BOT_TOKEN, CHAT, type TelegramApi, telegramApi } from '../platforms/telegram-api.ts'

let telegram: TelegramApi
let api: Answer
const lines: string[] = []
const telegramServer = await startUpstream((request, response) => telegram.answer(request, response))
const apiServer = await startUpstream((request, response) => api(request, response))
const settings = { QUESTBOARD_TELEGRAM_API: telegramServer.url, QUESTBOARD_OUTGOING_HOSTS: apiServer.host }
const service = await startService({ settings })
const second = await startService({ settings, database: service.database, clock: service.clock })
const { deps, clock } = service
const { business: token } = await createPersonas(deps)
const { reset, link } = await claimsFixture(service)
afterAll(async () => {
  await second.stop()
  await service.stop()
  await Promise.all([telegramServer.close(), apiServer.close()])
})

const ACCOUNT = '00000000-0000-4000-8000-0000000000e1'
const alice = address(1)
const eligible = async (id: string, of = alice, at = service) => {
  const query = 'query ($id: ID!, $of: String!) { credential(id: $id) { eligible(address: $of) } }'
  const { data, errors } = await ask<{ credential: { eligible: number | null } }>(at.url, query, {
    token,
    variables: { id, of },
  })
  return errors ? errors[0]?.extensions.code : data.credential.eligible
}
async function credential(id: string, source: object, credType = 'EVM_ADDRESS'): Promise<string> {
  await importRecords(deps, 'credentials', [{ id, name: 'live', credType, credSource: 'API' }])
  await setSource(deps, id, source)
  return id
}

beforeEach(async () => {
  await reset()
  telegram = telegramApi()
  telegramServer.requests.length = 0
  lines.length = 0
})

describe('TELEGRAM_MEMBER', () => {
  const member = (more: object = {}) =>
    credential('301', { kind: 'TELEGRAM_MEMBER', chat: CHAT, botToken: BOT_TOKEN, cacheSeconds: 60, ...more })

  test.each([
    ['creator', { status: 'creator' }, 1],
    ['administrator', { status: 'administrator' }, 1],
    ['member', { status: 'member' }, 1],
    ['restricted member', { status: 'restricted', is_member: true }, 1],
    ['restricted user outside', { status: 'restricted', is_member: false }, 0],
    ['user who left', { status: 'left' }, 0],
    ['banned user', { status: 'kicked' }, 0],
  ])('decides for a %s by the linked account', async (_, status, expected) => {
    await link(ACCOUNT, [
      [alice, 'EVMAddress'],
      ['777', 'Telegram'],
    ])
    telegram.members.set(777, status)
    expect(await eligible(await member())).toBe(expected)
  })

  test('is 0 without a linked Telegram account, and sends no request', async () => {
    await link(ACCOUNT, [[alice, 'EVMAddress']])
    expect(await eligible(await member())).toBe(0)
    expect(telegramServer.requests).toEqual([])
  })

  test.each(['Bad Request: user not found', 'Bad Request: PARTICIPANT_ID_INVALID', 'Bad Request: member not found'])(
    'takes the error "%s" as no member',
    async (description) => {
      await link(ACCOUNT, [
        [alice, 'EVMAddress'],
        ['777', 'Telegram'],
      ])
      telegram.fails = description
      expect(await eligible(await member())).toBe(0)
    },
  )

  test('does not decide if the bot or the chat is wrong', async () => {
    await link(ACCOUNT, [
      [alice, 'EVMAddress'],
      ['777', 'Telegram'],
    ])
    telegram.members.set(777, { status: 'member' })
    expect(await eligible(await member({ chat: '@another_chat' }))).toBe('UPSTREAM_UNAVAILABLE')
    expect(await eligible(await member({ botToken: '999:AAAAAAAAAAAAAAAA' }))).toBe('UPSTREAM_UNAVAILABLE')
  })

  test('pauses on all instances as long as Telegram asks', async () => {
    await link(ACCOUNT, [
      [alice, 'EVMAddress'],
      ['777', 'Telegram'],
    ])
    telegram.members.set(777, { status: 'member' })
    telegram.limited = 40
    const id = await member()
    expect(await eligible(id)).toBe('UPSTREAM_UNAVAILABLE')
    clock.advance(39_000)
    expect(await eligible(id, alice, second)).toBe('UPSTREAM_UNAVAILABLE')
    expect(telegramServer.requests).toHaveLength(1)
    clock.advance(1_000)
    expect(await eligible(id, alice, second)).toBe(1)
  })

  test('uses the same account for each of its addresses, and not for others', async () => {
    const [second, bob] = [address(2), address(3)]
    await link(ACCOUNT, [
      [alice, 'EVMAddress'],
      [second, 'EVMAddress'],
      ['777', 'Telegram'],
    ])
    await link('00000000-0000-4000-8000-0000000000e2', [[bob, 'EVMAddress']])
    telegram.members.set(777, { status: 'member' })
    const id = await member()
    expect([await eligible(id), await eligible(id, second), await eligible(id, bob)]).toEqual([1, 1, 0])
    expect(telegramServer.requests).toHaveLength(1)
  })
})

describe('EMAIL_DOMAIN', () => {
  const domain = (more: object = {}) =>
    credential('302', { kind: 'EMAIL_DOMAIN', domains: ['example.org'], ...more }, 'EMAIL')

  test('decides by the proved mail addresses of the account', async () => {
    await link(ACCOUNT, [
      [alice, 'EVMAddress'],
      ['ada@example.org', 'Email'],
      ['ada@other.example', 'Email'],
    ])
    await link('00000000-0000-4000-8000-0000000000e2', [
      [address(2), 'EVMAddress'],
      ['bob@other.example', 'Email'],
    ])
    const id = await domain()
    expect([await eligible(id), await eligible(id, address(2))]).toEqual([1, 0])
    expect([await eligible(id, 'ada@example.org'), await eligible(id, 'Ada@Example.org')]).toEqual([1, 1])
  })

  test('does not count an address that nobody has proved, or that its user switched off', async () => {
    await link(
      ACCOUNT,
      [
        [alice, 'EVMAddress'],
        ['ada@example.org', 'Email'],
      ],
      false,
    )
    const id = await domain()
    expect([await eligible(id), await eligible(id, 'eve@example.org')]).toEqual([0, 0])
  })

  test.each([
    ['ada@team.example.org', false, 0],
    ['ada@team.example.org', true, 1],
    ['ada@notexample.org', true, 0],
    ['ada@example.org.evil.test', true, 0],
    ['"@example.org"@evil.test', true, 0],
  ])('of %s with subdomains %s is %s', async (mail, subdomains, expected) => {
    await link(ACCOUNT, [
      [alice, 'EVMAddress'],
      [mail, 'Email'],
    ])
    expect(await eligible(await domain({ subdomains }))).toBe(expected)
  })
})

test('an API source decides by the score of Human Passport', async () => {
  const scores: Record<string, string> = { [alice]: '33.538', [address(2)]: '4.21' }
  api = ({ url, headers }, response: ServerResponse) => {
    const [, asked = ''] = /^\/v2\/stamps\/100\/score\/(0x[0-9a-f]{40})$/.exec(url) ?? []
    const send = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (headers['x-api-key'] !== 'key-of-the-operator') return send(401, { detail: 'Unauthorized' })
    const score = scores[asked] ?? '0'
    send(200, {
      address: asked,
      score,
      passing_score: Number(score) >= 20,
      last_score_timestamp: '2026-11-20T09:30:00.000000+00:00',
      expiration_timestamp: '2027-02-18T09:30:00.000000+00:00',
      threshold: '20.00000',
      error: null,
      stamps: {},
    })
  }
  const id = await credential('303', {
    kind: 'API',
    url: `${apiServer.url}/v2/stamps/100/score/{address}`,
    headers: { 'x-api-key': 'key-of-the-operator' },
    result: '/passing_score',
  })
  expect([await eligible(id), await eligible(id, address(2)), await eligible(id, address(3))]).toEqual([1, 0, 0])
})
