import { afterAll, describe, expect, test } from 'vitest'
import {
  type RateLimit,
  claimsByAccount,
  questReadsByAccount,
  verificationsByAccount,
} from '../../../src/rate-limits/limits.ts'
import { countAttempt } from '../../../src/rate-limits/fixed-window.ts'
import { type Member, startMemberQuests } from '../../claims/member-fixture.ts'

const { service, quest, member } = await startMemberQuests()
afterAll(() => service.close())

const QUEST = 'GClimited1'
await quest(QUEST)

const post =
  (path: string, valid: object = {}) =>
  async ({ browser }: Member, id = QUEST, body: object = valid) =>
    (await browser.call('POST', `/api/quests/${id}/${path}`, body)).statusCode
const readiness = async ({ browser }: Member, id = QUEST, body?: object) =>
  (await browser.get(`/api/quests/${id}/readiness${body ? '?address=' : ''}`)).statusCode

/** Counts all attempts that the limit allows, except one. */
async function leaveOne(limit: RateLimit, { accountId }: Member) {
  for (let n = 1; n < limit.max; n++) await countAttempt(service.services, limit, accountId)
}

// The condition does not exist: a valid request for the quiz or the visit gets 404.
describe.each([
  ['claims', claimsByAccount, post('claim'), 200],
  ['checks', verificationsByAccount, post('verifications', { credentialId: '7300' }), 404],
  ['quizzes', verificationsByAccount, post('quizzes/7300/attempts', { version: 'v', answers: [] }), 404],
  ['visits', verificationsByAccount, post('visits/7300'), 404],
  ['readiness', questReadsByAccount, readiness, 200],
])('the limit of %s', (_name, limit, send, status) => {
  test('does not count requests with an invalid field', async () => {
    const alice = await member()
    await leaveOne(limit, alice)
    for (let n = 0; n < 2; n++) expect(await send(alice, QUEST, { nonsense: true })).toBe(400)
    expect(await send(alice)).toBe(status)
    expect(await send(alice)).toBe(429)
  })

  test('counts requests for unknown quests', async () => {
    const alice = await member()
    await leaveOne(limit, alice)
    expect(await send(alice, 'GCnothing')).toBe(404)
    expect(await send(alice, 'GCnothing')).toBe(429)
    expect(await send(alice)).toBe(429)
  })
})
