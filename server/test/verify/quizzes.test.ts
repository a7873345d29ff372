import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY, SECOND } from '../../src/clock.ts'
import { openSource } from '../../src/sync/sealed-source.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { linkName, linkWallet, type Member } from '../claims/member-fixture.ts'
import { openBrowser } from '../support/oauth-browser.ts'
import { answer, errorOf, pathOf, QUIZ, RIGHT, startActs, versionOf, WRONG } from './act-fixture.ts'

const { service, member, questOn, holders, quest, credential, group } = await startActs()
afterAll(() => service.close())

let alice: Member
beforeEach(async () => {
  await service.database.query('DELETE FROM attempt_windows')
  alice = await member()
})

const stateOf = async (who: Member, questId: string) => {
  const { groups } = (await who.browser.get(`/api/quests/${questId}/readiness`)).json<{
    groups: { conditions: { state: string; act: string | null; checkable: boolean }[] }[]
  }>()
  return groups[0]?.conditions[0]
}
const rowsOf = (credentialId: string) =>
  service.database.query<{ account_id: string; used: number }>(
    'SELECT account_id, used FROM quiz_attempts WHERE credential_id = $1',
    [credentialId],
  )

describe('a quiz', () => {
  test('shows its questions without answers, and the remaining attempts', async () => {
    const asked = await questOn(QUIZ)
    expect(await stateOf(alice, asked.questId)).toMatchObject({ state: 'not-met', act: 'quiz', checkable: false })
    const shown = await alice.browser.get(pathOf(asked))
    expect(shown.json()).toEqual({
      questions: [
        { question: 'Which chain?', type: 'single', options: ['Ethereum', 'Solana', 'Sei'] },
        { question: 'Which are prime?', type: 'several', options: ['2', '3', '4'] },
        { question: 'Who founded it?', type: 'text' },
      ],
      passMark: 2,
      version: expect.any(String) as string,
      attempts: { allowed: 3, periodSeconds: 86_400, left: 3, nextAttemptAt: null },
      passed: false,
    })
  })

  test('has no readable answers in the database, also for the operator', async () => {
    const { credentialId } = await questOn(QUIZ)
    const [row] = await service.database.query<{ source: unknown }>(
      'SELECT source FROM credential_sources WHERE credential_id = $1',
      [credentialId],
    )
    const opened = JSON.stringify(openSource(service.services.secret, credentialId, row?.source))
    expect(opened).not.toMatch(/Lovelace|"answers":\[/i)
  })

  test('adds a member who passes to the list, who then completes the quest', async () => {
    const asked = await questOn(QUIZ)
    const passed = await answer(alice, asked, RIGHT)
    expect([passed.statusCode, passed.json()]).toEqual([
      200,
      { passed: true, right: 3, attemptsLeft: 2, nextAttemptAt: null, kind: 'EVMAddress', listChanged: true },
    ])
    expect(await holders(asked.credentialId)).toEqual([alice.address])
    expect(await stateOf(alice, asked.questId)).toMatchObject({ state: 'met' })
    expect((await alice.browser.call('POST', `/api/quests/${asked.questId}/claim`)).json()).toMatchObject({
      status: 'applied',
    })
  })

  test('needs the pass mark, not all answers', async () => {
    const asked = await questOn(QUIZ)
    const passed = await answer(alice, asked, [['Sei'], ['2', '3'], ['Bob']])
    expect(passed.json()).toMatchObject({ passed: true, right: 2 })
    const strict = await questOn({ ...QUIZ, passMark: undefined })
    expect((await answer(alice, strict, [['Sei'], ['2', '3'], ['Bob']])).json()).toMatchObject({ passed: false })
  })

  test('shows how many answers were right, and not which, until no attempt is left', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 2 })
    const first = await answer(alice, asked, WRONG)
    expect(first.json()).toEqual({
      passed: false,
      right: 1,
      attemptsLeft: 1,
      nextAttemptAt: null,
      kind: null,
      listChanged: false,
    })
    const nextAttemptAt = new Date(service.clock.now() + DAY).toISOString()
    service.clock.advance(SECOND)
    expect((await answer(alice, asked, WRONG)).json()).toMatchObject({ attemptsLeft: 0, nextAttemptAt })
    const refused = await answer(alice, asked, RIGHT)
    expect([...errorOf(refused), refused.headers['retry-after']]).toEqual([409, 'attempts_used', '86399'])
    expect(refused.json()).toMatchObject({ error: { nextAttemptAt } })
    expect(await holders(asked.credentialId)).toEqual([])
    service.clock.advance(DAY)
    expect((await answer(alice, asked, RIGHT)).json()).toMatchObject({ passed: true, attemptsLeft: 1 })
  })

  test('gives no free attempt to parallel requests', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 3 })
    const version = await versionOf(alice, asked)
    const token = await alice.browser.csrfToken()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        alice.browser.send({
          method: 'POST',
          url: `${pathOf(asked)}/attempts`,
          headers: { 'x-csrf-token': token },
          body: { version, answers: WRONG },
        }),
      ),
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 200, 200, 409, 409, 409, 409, 409])
    expect(await rowsOf(asked.credentialId)).toEqual([{ account_id: alice.accountId, used: 3 }])
  })

  test('counts attempts by account, whatever address the request names', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 1 })
    const second = await linkWallet(alice)
    expect((await answer(alice, asked, WRONG, { address: second })).json()).toMatchObject({ attemptsLeft: 0 })
    expect(errorOf(await answer(alice, asked, RIGHT, { address: alice.address }))).toEqual([409, 'attempts_used'])
    expect((await answer(await member(), asked, RIGHT)).json()).toMatchObject({ passed: true })
  })

  test('adds another address of an account that has passed, without an attempt', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 1 })
    await answer(alice, asked, RIGHT)
    const second = await linkWallet(alice)
    const added = await answer(alice, asked, [], { address: second })
    expect(added.json()).toMatchObject({ passed: true, right: null, listChanged: true })
    expect(await holders(asked.credentialId)).toEqual([alice.address, second].toSorted())
    expect(await rowsOf(asked.credentialId)).toEqual([{ account_id: alice.accountId, used: 1 }])
  })

  test('adds the immutable id of a platform account for a list of that type', async () => {
    const asked = await questOn(QUIZ, { credType: 'DISCORD' })
    expect(errorOf(await answer(alice, asked, RIGHT))).toEqual([409, 'identity_missing'])
    expect(await rowsOf(asked.credentialId)).toEqual([])
    await linkName(service, alice.accountId, 'Discord', '80351110224678912')
    await service.database.query(
      `UPDATE identities SET use_for_eligibility = true WHERE account_id = $1 AND kind = 'Discord'`,
      [alice.accountId],
    )
    expect((await answer(alice, asked, RIGHT)).json()).toMatchObject({ passed: true, kind: 'Discord' })
    expect(await holders(asked.credentialId)).toEqual(['80351110224678912'])
    expect(await stateOf(alice, asked.questId)).toMatchObject({ state: 'met' })
  })

  test('decides a credential whose former source was interrupted', async () => {
    const asked = await questOn(QUIZ)
    const { credentialId } = asked
    await service.database.query(`UPDATE credentials SET sync_status = 'SYNCING' WHERE credential_id = $1`, [
      credentialId,
    ])
    await setSource(service.services, credentialId, QUIZ)
    expect((await answer(alice, asked, RIGHT)).json()).toMatchObject({ passed: true })
    expect(await stateOf(alice, asked.questId)).toMatchObject({ state: 'met' })
  })

  test('keeps attempts when its questions change, and forgets them when it is no longer the source', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 2 })
    await answer(alice, asked, WRONG)
    await setSource(service.services, asked.credentialId, { ...QUIZ, passMark: 3, attempts: 2 })
    expect((await alice.browser.get(pathOf(asked))).json()).toMatchObject({ attempts: { left: 1 } })
    await setSource(service.services, asked.credentialId, { kind: 'VISIT_LINK', target: 'https://example.org/' })
    expect(await rowsOf(asked.credentialId)).toEqual([])
  })
})

describe('the length of an option or answer', () => {
  const longest = '🌷'.repeat(200)
  const asks = (one: string, other: string, answers: string[]) => ({
    ...QUIZ,
    passMark: 1,
    questions: [{ question: 'Which?', type: 'single', options: [one, other], answers }],
  })

  test('has the same limit in the quiz and in the answer of a member', async () => {
    const asked = await questOn(asks(longest, 'Rose', [longest]))
    expect((await answer(alice, asked, [[longest]])).json()).toMatchObject({ passed: true })
    await expect(questOn(asks(`${longest}x`, 'Rose', ['Rose']))).rejects.toThrow('must be 1 to 200 characters')
    const text = await questOn({
      ...QUIZ,
      passMark: 1,
      questions: [{ question: 'Who?', type: 'text', answers: ['Ada'] }],
    })
    expect((await answer(alice, text, [[longest]])).json()).toMatchObject({ passed: false })
    expect(errorOf(await answer(alice, text, [[`${longest}x`]]))).toEqual([400, 'invalid_argument', 'answers.0.0'])
  })

  test('does not include spaces around it', async () => {
    const asked = await questOn(asks(' Moonflower ', 'Rose', ['Moonflower ']))
    expect((await answer(alice, asked, [['Moonflower']])).json()).toMatchObject({ passed: true })
    await expect(questOn(asks('Rose ', 'Rose', ['Rose']))).rejects.toThrow('must be different from each other')
  })
})

describe('the service refuses an answer, and counts no attempt,', () => {
  test.each([
    ['answers', [['Sei'], ['2']]],
    ['answers.0', [[], ['2'], ['Ada']]],
    ['answers.0', [['Sei', 'Solana'], ['2'], ['Ada']]],
    ['answers.0', [['Bitcoin'], ['2'], ['Ada']]],
    ['answers.1', [['Sei'], [], ['Ada']]],
    ['answers.1', [['Sei'], ['2', '2'], ['Ada']]],
    ['answers.2', [['Sei'], ['2'], []]],
    ['answers.2', [['Sei'], ['2'], [' \u00a0']]],
    ['answers.2.0', [['Sei'], ['2'], ['x'.repeat(201)]]],
    ['answers', 'Sei'],
  ])('with the field %s of %j', async (field, answers) => {
    const asked = await questOn(QUIZ)
    expect(errorOf(await answer(alice, asked, answers))).toEqual([400, 'invalid_argument', field])
    expect(await rowsOf(asked.credentialId)).toEqual([])
  })

  test('if the questions have changed since they were read', async () => {
    const asked = await questOn(QUIZ)
    const version = await versionOf(alice, asked)
    const [, ...others] = QUIZ.questions
    await setSource(service.services, asked.credentialId, { ...QUIZ, questions: others })
    const late = await alice.browser.call('POST', `${pathOf(asked)}/attempts`, { version, answers: RIGHT })
    expect(errorOf(late)).toEqual([409, 'quiz_changed'])
    expect(await rowsOf(asked.credentialId)).toEqual([])
  })

  test('without a session or CSRF token', async () => {
    const asked = await questOn(QUIZ)
    const body = { version: '', answers: RIGHT }
    const stranger = openBrowser(service.fastify)
    expect((await stranger.get(pathOf(asked))).statusCode).toBe(401)
    expect((await stranger.call('POST', `${pathOf(asked)}/attempts`, body)).statusCode).toBe(401)
    const forged = await alice.browser.send({ method: 'POST', url: `${pathOf(asked)}/attempts`, body })
    expect(forged.statusCode).toBe(403)
  })

  test('for quests that are not visible, other conditions, and sources that are no quiz', async () => {
    const asked = await questOn(QUIZ)
    const body = { version: '', answers: RIGHT }
    const ask = (questId: string, credentialId: string) =>
      alice.browser.call('POST', `${pathOf({ questId, credentialId })}/attempts`, body)
    for (const id of ['999999', 'x', '1'.repeat(40)]) expect(errorOf(await ask(asked.questId, id))[0]).toBe(404)
    expect(errorOf(await ask('GCnothing', asked.credentialId))).toEqual([404, 'not_found'])
    const visit = await questOn({ kind: 'VISIT_LINK', target: 'https://example.org/' })
    expect(errorOf(await ask(visit.questId, visit.credentialId))).toEqual([409, 'not_a_quiz'])
    await credential('7699', [])
    await quest('GCactnone', { credentialGroups: [group('ALL', '7699')] })
    expect(errorOf(await ask('GCactnone', '7699'))).toEqual([409, 'not_a_quiz'])
    await quest(asked.questId, { isPrivate: true, credentialGroups: [group('ALL', asked.credentialId)] })
    expect((await ask(asked.questId, asked.credentialId)).statusCode).toBe(403)
    expect((await alice.browser.get(pathOf(asked))).statusCode).toBe(403)
  })

  test('for an address that is not linked', async () => {
    const asked = await questOn(QUIZ)
    const { address } = await member()
    expect(errorOf(await answer(alice, asked, RIGHT, { address }))).toEqual([400, 'invalid_argument', 'address'])
  })

  test('after 20 requests in a minute, also with check now', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 100 })
    for (let n = 0; n < 20; n++) await answer(alice, asked, WRONG)
    const refused = await answer(alice, asked, RIGHT)
    expect([...errorOf(refused), Number(refused.headers['retry-after']) > 0]).toEqual([429, 'too_many_requests', true])
    expect(await rowsOf(asked.credentialId)).toMatchObject([{ used: 20 }])
  })

  test('by check now, because nothing can be asked', async () => {
    const { questId, credentialId } = await questOn(QUIZ)
    const checked = await alice.browser.call('POST', `/api/quests/${questId}/verifications`, { credentialId })
    expect(errorOf(checked)).toEqual([409, 'not_checkable'])
  })
})
