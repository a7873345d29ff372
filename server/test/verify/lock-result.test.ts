import type { LightMyRequestResponse } from 'fastify'
import { sql, type Transaction } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { lockAccount } from '../../src/accounts/account.queries.ts'
import { deleteAccount } from '../../src/accounts/delete-account.queries.ts'
import type { DB } from '../../src/database/tables.ts'
import { deleteRows } from '../../src/objects/objects.queries.ts'
import { deleteObject } from '../../src/objects/objects.ts'
import { lockCredential } from '../../src/sync/checks.queries.ts'
import { putSource } from '../../src/sync/set-source.ts'
import { parseSource } from '../../src/sync/source.ts'
import { removeSource } from '../../src/sync/sources.queries.ts'
import type { Member } from '../claims/member-fixture.ts'
import { waitingSessions } from '../support/database.ts'
import { type Asked, errorOf, pathOf, QUIZ, RIGHT, startActs, TARGET, versionOf } from './act-fixture.ts'

const { service, member, questOn, holders } = await startActs()
afterAll(() => service.close())

let alice: Member
beforeEach(async () => {
  await service.database.query('DELETE FROM attempt_windows')
  alice = await member()
})

const waiting = () => waitingSessions(service.database)

/** Sends a request that waits for a transaction, which then changes something and ends. */
async function whileItWaits(
  lock: (trx: Transaction<DB>) => Promise<unknown>,
  send: () => Promise<LightMyRequestResponse>,
  change: (trx: Transaction<DB>) => Promise<unknown>,
): Promise<LightMyRequestResponse> {
  const sent = await service.database.kysely.transaction().execute(async (trx) => {
    await lock(trx)
    const request = send()
    await expect.poll(waiting).toBe(1)
    await change(trx)
    return { request }
  })
  return sent.request
}

/** A request that needs no other before it. */
async function prepared(asked: Asked): Promise<() => Promise<LightMyRequestResponse>> {
  const version = await versionOf(alice, asked)
  const headers = { 'x-csrf-token': await alice.browser.csrfToken() }
  const url = `${pathOf(asked)}/attempts`
  return () => alice.browser.send({ method: 'POST', url, headers, body: { version, answers: RIGHT } })
}

const traces = async (credentialId: string) => {
  const counted = async (table: string) =>
    (await service.database.query(`SELECT FROM ${table} WHERE credential_id = $1`, [credentialId])).length
  const tables = ['quiz_attempts', 'quiz_identity_attempts', 'credential_checks', 'credential_holders']
  return Promise.all(tables.map(counted))
}
const NOTHING = [0, 0, 0, 0]

const sourceInto = (credentialId: string, source: object) => (trx: Transaction<DB>) =>
  putSource(service.services, trx, credentialId, parseSource(source))

describe('an answer that waits', () => {
  test.each([
    ['other questions', { ...QUIZ, questions: QUIZ.questions.slice(0, 2) }],
    ['other answers to the same questions', { ...QUIZ, passMark: 3 }],
    ['a page to visit', { kind: 'VISIT_LINK', target: TARGET }],
  ])('does not count if its quiz is replaced by %s', async (_, source) => {
    const asked = await questOn(QUIZ)
    const { credentialId } = asked
    const late = await whileItWaits(
      (trx) => lockCredential(trx, credentialId),
      await prepared(asked),
      sourceInto(credentialId, source),
    )
    expect(errorOf(late)).toEqual([409, 'quiz_changed'])
    expect(await traces(credentialId)).toEqual(NOTHING)
  })

  test('does not count if the source is removed', async () => {
    const asked = await questOn(QUIZ)
    const late = await whileItWaits(
      (trx) => lockCredential(trx, asked.credentialId),
      await prepared(asked),
      (trx) => removeSource(trx, asked.credentialId),
    )
    expect(errorOf(late)).toEqual([409, 'quiz_changed'])
    expect(await traces(asked.credentialId)).toEqual(NOTHING)
  })

  test('leaves nothing behind if the account ends', async () => {
    const asked = await questOn(QUIZ)
    const late = await whileItWaits(
      (trx) => lockAccount(trx, alice.accountId),
      await prepared(asked),
      (trx) => deleteAccount(trx, alice.accountId),
    )
    expect(errorOf(late)).toEqual([401, 'sign_in_required'])
    expect(await traces(asked.credentialId)).toEqual(NOTHING)
  })

  test('leaves nothing behind if the credential is deleted', async () => {
    const asked = await questOn(QUIZ)
    const { credentialId } = asked
    const late = await whileItWaits(
      (trx) => lockCredential(trx, credentialId),
      await prepared(asked),
      async (trx) => {
        await sql`DELETE FROM quest_conditions WHERE credential_id = ${credentialId}`.execute(trx)
        await deleteRows(trx, 'credential', { text: credentialId })
      },
    )
    expect(errorOf(late)).toEqual([409, 'quiz_changed'])
    expect(await traces(credentialId)).toEqual(NOTHING)
  })
})

test('the deletion of an account waits for its answers, and deletes them', async () => {
  const asked = await questOn(QUIZ)
  const { credentialId } = asked
  const answering = await prepared(asked)
  const token = await alice.browser.csrfToken()
  const done: Promise<LightMyRequestResponse>[] = []
  await service.database.kysely.transaction().execute(async (trx) => {
    await lockCredential(trx, credentialId)
    done.push(answering())
    await expect.poll(waiting).toBe(1)
    done.push(alice.browser.send({ method: 'DELETE', url: '/api/account', headers: { 'x-csrf-token': token } }))
    await expect.poll(waiting).toBe(2)
  })
  const [answered, ended] = await Promise.all(done)
  expect([answered?.statusCode, ended?.statusCode]).toEqual([200, 204])
  expect((await traces(credentialId))[0]).toBe(0)
})

test('the deletion of a credential waits for answers, and deletes them', async () => {
  const asked = await questOn(QUIZ)
  const { credentialId } = asked
  const answering = await prepared(asked)
  const { kysely } = service.database
  const answered = await kysely.transaction().execute(async (trx) => {
    // The answer has locked the credential, and waits to count itself.
    await sql`LOCK TABLE quiz_attempts IN SHARE MODE`.execute(trx)
    const answer = answering()
    await expect.poll(waiting).toBe(1)
    await service.database.query('DELETE FROM quest_conditions WHERE credential_id = $1', [credentialId])
    const deletion = deleteObject(service.services, 'credential', credentialId, { note: () => Promise.resolve() })
    await expect.poll(waiting).toBe(2)
    return { answer, deletion }
  })
  await answered.deletion
  expect((await answered.answer).statusCode).toBe(200)
  expect(await traces(credentialId)).toEqual(NOTHING)
})

describe('a visit that waits', () => {
  test('does not count if its page is replaced', async () => {
    const asked = await questOn({ kind: 'VISIT_LINK', target: TARGET })
    const { credentialId } = asked
    const made = await alice.browser.call('POST', `/api/quests/${asked.questId}/visits/${credentialId}`, {})
    const path = made.json<{ url: string }>().url.replace(service.services.site.issuer, '')
    const late = await whileItWaits(
      (trx) => lockCredential(trx, credentialId),
      () => alice.browser.get(path),
      sourceInto(credentialId, { kind: 'VISIT_LINK', target: 'https://example.org/other' }),
    )
    expect([late.statusCode, late.headers.location]).toEqual([404, undefined])
    expect(await holders(credentialId)).toEqual([])
    expect(await traces(credentialId)).toEqual(NOTHING)
  })

  test('leaves nothing behind if the account ends', async () => {
    const asked = await questOn({ kind: 'VISIT_LINK', target: TARGET })
    const { credentialId } = asked
    const made = await alice.browser.call('POST', `/api/quests/${asked.questId}/visits/${credentialId}`, {})
    const path = made.json<{ url: string }>().url.replace(service.services.site.issuer, '')
    const late = await whileItWaits(
      (trx) => lockAccount(trx, alice.accountId),
      () => alice.browser.get(path),
      (trx) => deleteAccount(trx, alice.accountId),
    )
    expect([late.statusCode, late.headers.location]).toEqual([401, undefined])
    expect(await traces(credentialId)).toEqual(NOTHING)
  })
})
