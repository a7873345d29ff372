import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { confirm, type Offer, offerOf, proveForMerge, signIn, subjects, viewOf } from '../../identity/merging.ts'
import { ownedWallet } from '../../identity/upstreams/evm-contracts.ts'
import { type EvmNode, startEvmNode } from '../../identity/upstreams/evm-node.ts'
import { challenge, prove, expectRejected } from '../../identity/wallet-proof.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import type { SignedIn } from '../../support/oauth-flow.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { testWallet } from '../../support/oauth-wallet.ts'

let service: SignInService
let mainnet: EvmNode
let elsewhere: EvmNode
/** The account that remains after the merge. */
let kept: SignedIn
/** The account that the merge deletes, in another browser. */
let other: SignedIn
beforeAll(async () => {
  mainnet = await startEvmNode(1)
  elsewhere = await startEvmNode(10)
  service = await startSignIn({ settings: { QUESTBOARD_EVM_RPC: `1=${mainnet.url},10=${elsewhere.url}` } })
})
beforeEach(async () => {
  service.clock.advance(61_000)
  kept = await signIn(service)
  other = await signIn(service)
})
afterAll(async () => {
  await Promise.all([service.close(), mainnet.close(), elsewhere.close()])
})

describe('attack 81, merging', () => {
  /** Both accounts are unchanged. */
  async function expectUnchanged() {
    expect(await subjects(kept.browser)).toEqual([kept.account.wallet.address.toLowerCase()])
    expect((await viewOf(other.browser))?.id).toBe(other.account.id)
  }
  const ask = (by: Browser) =>
    by.call('POST', '/api/challenges', {
      kind: 'EVMAddress',
      purpose: 'merge',
      address: other.account.wallet.address,
    })

  test('requires a session that is less than an hour old', async () => {
    expect((await ask(openBrowser(service.fastify))).statusCode).toBe(401)
    const { id } = await offerOf(kept.browser, other.account.wallet)
    service.clock.advance(60 * 60_000 + 1)
    expect((await ask(kept.browser)).json()).toMatchObject({ error: { code: 'fresh_sign_in_required' } })
    expect((await confirm(kept.browser, id)).statusCode).toBe(403)
    await expectUnchanged()
  })
  test('requires the CSRF token', async () => {
    const { id } = await offerOf(kept.browser, other.account.wallet)
    expect((await kept.browser.send({ method: 'POST', url: `/api/merges/${id}` })).statusCode).toBe(403)
    await expectUnchanged()
  })
  test('requires a confirmation after the proof', async () => {
    await offerOf(kept.browser, other.account.wallet)
    await expectUnchanged()
  })
  test('rejects a signature for signing in or linking', async () => {
    for (const purpose of ['sign-in', 'link'] as const) {
      const given = await challenge(kept.browser, {
        kind: 'EVMAddress',
        purpose,
        address: other.account.wallet.address,
      })
      const response = await prove(
        kept.browser,
        { kind: 'EVMAddress', purpose: 'merge', address: other.account.wallet.address },
        ({ message }) => {
          expect(message).toContain(
            `Merge the Questboard account of this EVM wallet into the account ${kept.account.username}.`,
          )
          return { signature: other.account.wallet.sign(given.message) }
        },
      )
      expectRejected(response, 401, 'address_mismatch')
    }
    await expectUnchanged()
  })
  test('rejects a proof and a confirmation after five minutes', async () => {
    const given = await challenge(kept.browser, {
      kind: 'EVMAddress',
      purpose: 'merge',
      address: other.account.wallet.address,
    })
    service.clock.advance(5 * 60_000)
    const late = { signature: other.account.wallet.sign(given.message) }
    expectRejected(await kept.browser.call('POST', `/api/challenges/${given.id}/proof`, late), 404, 'challenge_gone')
    const { id } = await offerOf(kept.browser, other.account.wallet)
    service.clock.advance(5 * 60_000)
    expect((await confirm(kept.browser, id)).statusCode).toBe(404)
    await expectUnchanged()
  })
  test('accepts a proof and a confirmation once, also concurrently', async () => {
    const given = await challenge(kept.browser, {
      kind: 'EVMAddress',
      purpose: 'merge',
      address: other.account.wallet.address,
    })
    const proof = { signature: other.account.wallet.sign(given.message) }
    const send = () => kept.browser.call('POST', `/api/challenges/${given.id}/proof`, proof)
    const { merge } = (await send()).json<{ merge: Offer }>()
    expectRejected(await send(), 404, 'challenge_gone')
    const csrf = await kept.browser.csrfToken()
    const cookies = [...kept.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        service.fastify.inject({
          method: 'POST',
          url: `/api/merges/${merge.id}`,
          headers: { 'x-csrf-token': csrf, cookie: cookies },
        }),
      ),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(answers.every(({ statusCode }) => [200, 401, 404].includes(statusCode))).toBe(true)
    const events = await service.database.query(
      `SELECT FROM security_events WHERE account_id = $1 AND event = 'account.merged'`,
      [kept.account.id],
    )
    expect(events).toHaveLength(1)
  })
  test('rejects a confirmation in another session, of either account', async () => {
    const { id } = await offerOf(kept.browser, other.account.wallet)
    expect((await confirm(other.browser, id)).statusCode).toBe(404)
    const second = openBrowser(service.fastify)
    await signInWithWallet(second, kept.account.wallet)
    expect((await confirm(second, id)).statusCode).toBe(404)
    expect((await second.get(`/api/merges/${id}`)).statusCode).toBe(404)
    expect((await openBrowser(service.fastify).get(`/api/merges/${id}`)).statusCode).toBe(401)
    expect((await confirm(kept.browser, 'x')).statusCode).toBe(404)
    await expectUnchanged()
  })
  test('rejects a proof for the challenge of another session', async () => {
    const given = await challenge(kept.browser, {
      kind: 'EVMAddress',
      purpose: 'merge',
      address: other.account.wallet.address,
    })
    await signInWithWallet(kept.browser)
    const response = await kept.browser.call('POST', `/api/challenges/${given.id}/proof`, {
      signature: other.account.wallet.sign(given.message),
    })
    expectRejected(response, 409, 'session_changed')
    expect((await viewOf(other.browser))?.id).toBe(other.account.id)
  })
  test('rejects merging an account into itself', async () => {
    expectRejected(await proveForMerge(kept.browser, kept.account.wallet), 409, 'same_account')
    await expectUnchanged()
  })
  test('does not merge or create an account for an unlinked identity', async () => {
    const stranger = testWallet()
    expectRejected(await proveForMerge(kept.browser, stranger), 409, 'identity_unknown')
    expect(
      await service.database.query('SELECT FROM identity_subjects WHERE subject = $1', [
        stranger.address.toLowerCase(),
      ]),
    ).toEqual([])
  })
  test('rejects a confirmation after the proved identity was unlinked', async () => {
    const { id } = await offerOf(kept.browser, other.account.wallet)
    const second = testWallet()
    await prove(other.browser, { kind: 'EVMAddress', purpose: 'link', address: second.address }, ({ message }) => ({
      signature: second.sign(message),
    }))
    const subject = other.account.wallet.address.toLowerCase()
    const unlinked = await other.browser.call('DELETE', '/api/identities', { kind: 'EVMAddress', subject })
    expect(unlinked.statusCode).toBe(200)
    expect((await confirm(kept.browser, id)).json()).toMatchObject({ error: { code: 'proof_gone' } })
    await expectUnchanged()
  })
  test('accepts a contract wallet only on its chain', async () => {
    const owner = privateKeyToAccount(generatePrivateKey())
    const attacker = privateKeyToAccount(generatePrivateKey())
    const address = `0x${'c0'.repeat(20)}`
    await mainnet.setCode(address, ownedWallet(owner.address))
    await elsewhere.setCode(address, ownedWallet(attacker.address))
    const linked = await prove(
      other.browser,
      { kind: 'EVMAddress', purpose: 'link', address, chainId: 1 },
      async ({ message }) => ({ signature: await owner.signMessage({ message }) }),
    )
    expect(linked.statusCode, linked.body).toBe(200)
    const stolen = await prove(
      kept.browser,
      { kind: 'EVMAddress', purpose: 'merge', address, chainId: 10 },
      async ({ message }) => ({ signature: await attacker.signMessage({ message }) }),
    )
    expectRejected(stolen, 409, 'other_chain')
    await expectUnchanged()
  })
  test('keeps one of two accounts that concurrently merge into each other', async () => {
    const offer = await offerOf(kept.browser, other.account.wallet)
    const back = await offerOf(other.browser, kept.account.wallet)
    const answers = await Promise.all([confirm(kept.browser, offer.id), confirm(other.browser, back.id)])
    const codes = answers.map(({ statusCode }) => statusCode)
    expect(codes.filter((code) => code === 200)).toHaveLength(1)
    expect(codes.every((code) => [200, 401, 404].includes(code))).toBe(true)
    const survivor = codes[0] === 200 ? kept : other
    expect(await subjects(survivor.browser)).toHaveLength(2)
  })
  test('merges an account into only one of two accounts', async () => {
    const rival = await signIn(service)
    const offer = await offerOf(kept.browser, other.account.wallet)
    const rivals = await offerOf(rival.browser, other.account.wallet)
    const answers = await Promise.all([confirm(kept.browser, offer.id), confirm(rival.browser, rivals.id)])
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404])
    const counts = [await subjects(kept.browser), await subjects(rival.browser)].map((list) => list?.length)
    expect(counts.sort()).toEqual([1, 2])
  })
  test('changes nothing if the merge fails', async () => {
    const { id } = await offerOf(kept.browser, other.account.wallet)
    await service.database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION refuse()`,
    )
    expect((await confirm(kept.browser, id)).statusCode).toBe(500)
    await service.database.query('DROP TRIGGER refuse ON accounts; DROP FUNCTION refuse')
    await expectUnchanged()
    expect((await confirm(kept.browser, id)).statusCode).toBe(200)
  })
})
