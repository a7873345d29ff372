import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../src/clock.ts'
import { deleteQuizAttempts } from '../../src/schedule/sweeps.queries.ts'
import { loadInstallationSecret } from '../../src/secrets/installation-secret.ts'
import { countQuizAttempt } from '../../src/sync/members/quiz-attempts.queries.ts'
import { contestantOf } from '../../src/verify/quiz-attempts.ts'
import { linkName, linkWallet } from '../claims/member-fixture.ts'
import { confirm, offerOf } from '../identity/merging.ts'
import { waitingSessions } from '../support/database.ts'
import { openBrowser, signInWithWallet } from '../support/oauth-browser.ts'
import { testWallet } from '../support/oauth-wallet.ts'
import { answer, type Asked, errorOf, pathOf, QUIZ, RIGHT, startActs, WRONG } from './act-fixture.ts'

const { service, questOn } = await startActs()
afterAll(() => service.close())
beforeEach(async () => {
  await service.database.query('DELETE FROM attempt_windows')
})

async function signedIn(wallet = testWallet()) {
  const browser = openBrowser(service.fastify)
  const { id } = await signInWithWallet(browser, wallet)
  return { browser, accountId: id, wallet }
}
type Who = Awaited<ReturnType<typeof signedIn>>

async function eraseAccount({ browser }: Who): Promise<void> {
  const ended = await browser.call('DELETE', '/api/account')
  expect(ended.statusCode, ended.body).toBe(204)
}
const leftOf = async ({ browser }: Who, asked: Asked) =>
  (await browser.get(pathOf(asked))).json<{ attempts: { left: number } }>().attempts.left
const identitiesOf = (credentialId: string) =>
  service.database.query<{ identity: string; used: number }>(
    'SELECT identity, used FROM quiz_identity_attempts WHERE credential_id = $1',
    [credentialId],
  )

describe('attempts', () => {
  test('remain used after the account is deleted and its wallet signs in again', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 2 })
    const first = await signedIn()
    await answer(first, asked, WRONG)
    await answer(first, asked, WRONG)
    await eraseAccount(first)
    const again = await signedIn(first.wallet)
    expect(again.accountId).not.toBe(first.accountId)
    expect(await leftOf(again, asked)).toBe(0)
    expect(errorOf(await answer(again, asked, RIGHT))).toEqual([409, 'attempts_used'])
    service.clock.advance(DAY)
    expect((await answer(again, asked, RIGHT)).json()).toMatchObject({ passed: true, attemptsLeft: 1 })
  })

  test('remain used by a wallet that moves to a new account, with those of the new account', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 3 })
    const first = await signedIn()
    const kept = testWallet()
    await linkWallet(first)
    await answer(first, asked, WRONG)
    await answer(first, asked, WRONG)
    const subject = first.wallet.address.toLowerCase()
    const unlinked = await first.browser.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject })
    expect(unlinked.statusCode, unlinked.body).toBe(200)
    const second = await signedIn(kept)
    expect(await leftOf(second, asked)).toBe(3)
    const moved = await signedIn(first.wallet)
    expect(await leftOf(moved, asked)).toBe(1)
    expect((await answer(moved, asked, WRONG)).json()).toMatchObject({ attemptsLeft: 0 })
    expect(await leftOf(first, asked)).toBe(1)
  })

  test('count for each address of the account at that time', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 1 })
    const first = await signedIn()
    const { address } = first.wallet
    const second = await linkWallet(first)
    await answer(first, asked, WRONG, { address: second })
    expect(await identitiesOf(asked.credentialId)).toHaveLength(2)
    await eraseAccount(first)
    const again = await signedIn(first.wallet)
    expect(errorOf(await answer(again, asked, RIGHT, { address }))).toEqual([409, 'attempts_used'])
  })

  test('count for platform accounts, which can be holders', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 1 }, { credType: 'DISCORD' })
    const link = async ({ accountId }: Who) => {
      await linkName(service, accountId, 'Discord', '80351110224678999')
      await service.database.query(`UPDATE identities SET use_for_eligibility = true WHERE account_id = $1`, [
        accountId,
      ])
    }
    const first = await signedIn()
    await link(first)
    await answer(first, asked, WRONG)
    await eraseAccount(first)
    const again = await signedIn()
    await link(again)
    expect(errorOf(await answer(again, asked, RIGHT))).toEqual([409, 'attempts_used'])
  })

  test('do not count for an account of another platform with the same number', async () => {
    const asked = await questOn(QUIZ)
    const [github, telegram] = [await signedIn(), await signedIn()]
    await linkName(service, github.accountId, 'Github', '583231')
    await linkName(service, telegram.accountId, 'Telegram', '583231')
    const all = await leftOf(telegram, asked)
    await answer(github, asked, WRONG)
    expect([await leftOf(github, asked), await leftOf(telegram, asked)]).toEqual([all - 1, all])
  })

  test('count for the same key on Ethereum and Sei', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 2 })
    const [ethereum, sei] = [await signedIn(), await signedIn()]
    await linkName(service, sei.accountId, 'SeiAddress', ethereum.wallet.address.toLowerCase())
    await answer(ethereum, asked, WRONG)
    expect(await leftOf(sei, asked)).toBe(1)
  })

  test('of a new period remain if old ones are deleted at the same time', async () => {
    const asked = await questOn(QUIZ)
    const who = await signedIn()
    await answer(who, asked, WRONG)
    const { kysely } = service.database
    const at = new Date(service.clock.now() + 2 * DAY)
    const contestant = await contestantOf(kysely, service.services.secret, { ...asked, accountId: who.accountId })
    const { deletion } = await kysely.transaction().execute(async (trx) => {
      const ends = new Date(at.getTime() + DAY)
      await countQuizAttempt(trx, { ...contestant, at, ends, over: new Date(at.getTime() - DAY), passed: false })
      const deletion = deleteQuizAttempts(kysely, at, 10_000)
      await expect.poll(() => waitingSessions(service.database)).toBe(1)
      return { deletion }
    })
    await deletion
    expect(await identitiesOf(asked.credentialId)).toMatchObject([{ used: 1 }])
  })

  test('of a deleted account remain without its addresses, until their period ends', async () => {
    const asked = await questOn({ ...QUIZ, periodSeconds: 3_600 })
    const first = await signedIn()
    await answer(first, asked, WRONG)
    await eraseAccount(first)
    const [kept] = await identitiesOf(asked.credentialId)
    expect(kept).toEqual({ identity: expect.stringMatching(/^[\w-]{43}$/) as string, used: 1 })
    const { kysely } = service.database
    const later = (time: number) => new Date(service.clock.now() + time)
    await deleteQuizAttempts(kysely, later(HOUR - 1), 10_000)
    expect(await identitiesOf(asked.credentialId)).toEqual([kept])
    await deleteQuizAttempts(kysely, later(HOUR + 1), 10_000)
    expect(await identitiesOf(asked.credentialId)).toEqual([])
  })

  test('count under each accepted secret, so that a new one gives none back', async () => {
    const { accountId } = await signedIn()
    const about = { credentialId: '7700', accountId }
    const at = (secret: string, ...otherSecrets: string[]) =>
      contestantOf(service.database.kysely, loadInstallationSecret({ secret, otherSecrets, dataDir: '' }), about)
    const [old, now] = ['old'.repeat(12), 'new'.repeat(12)]
    const before = await at(old)
    const after = await at(now, old)
    expect(after.identities).toEqual([...(await at(now)).identities, ...before.identities])
    expect(new Set(after.identities).size).toBe(2)
  })
})

describe('attempts of merged accounts', () => {
  async function merged(into: Who, from: Who): Promise<void> {
    const offer = await offerOf(into.browser, from.wallet)
    expect((await confirm(into.browser, offer.id)).statusCode).toBe(200)
  }

  test('are those of the account that used more, so that a merge gives none back', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 3 })
    const [into, from] = [await signedIn(), await signedIn()]
    await answer(into, asked, WRONG)
    await answer(from, asked, WRONG)
    await answer(from, asked, WRONG)
    await merged(into, from)
    expect(await leftOf(into, asked)).toBe(1)
    expect((await answer(into, asked, WRONG)).json()).toMatchObject({ attemptsLeft: 0 })
  })

  test.each(['into', 'from'] as const)('do not include those of a period that is over (%s)', async (early) => {
    const asked = await questOn({ ...QUIZ, attempts: 3 })
    const accounts = { into: await signedIn(), from: await signedIn() }
    await answer(accounts[early], asked, WRONG)
    await answer(accounts[early], asked, WRONG)
    service.clock.advance(DAY)
    const [into, from] = [await signedIn(accounts.into.wallet), await signedIn(accounts.from.wallet)]
    await answer(early === 'into' ? from : into, asked, WRONG)
    await merged(into, from)
    expect(await leftOf(into, asked)).toBe(2)
  })

  test('belong to the remaining account, and so does a passed quiz', async () => {
    const asked = await questOn({ ...QUIZ, attempts: 1 })
    const [into, from] = [await signedIn(), await signedIn()]
    await answer(into, asked, WRONG)
    await answer(from, asked, RIGHT)
    await merged(into, from)
    const shown = (await into.browser.get(pathOf(asked))).json<{ passed: boolean }>()
    expect(shown).toMatchObject({ passed: true, attempts: { left: 0 } })
  })
})
