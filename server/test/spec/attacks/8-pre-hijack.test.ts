import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../identity/upstreams/mail-server.ts'
import { type OauthUpstream, startOauthUpstream, upstreamSettings } from '../../identity/upstreams/oauth-upstream.ts'
import { challenge, prove, expectRejected } from '../../identity/wallet-proof.ts'
import { type Browser, openBrowser, signInWithWallet } from '../../support/oauth-browser.ts'
import { countRows } from '../../support/oauth-flow.ts'
import { testPasskey } from '../../support/oauth-passkey.ts'
import { type SignInService, startSignIn } from '../../support/oauth-service.ts'
import { type TestWallet, testWallet } from '../../support/oauth-wallet.ts'

// An attacker prepares an account for a victim, who would later sign in to it.
let service: SignInService
let upstream: OauthUpstream
let mail: MailServer
let attacker: Browser
let victim: Browser
let wallet: TestWallet
let count = 0
beforeAll(async () => {
  ;[upstream, mail] = await Promise.all([startOauthUpstream(), startMailServer()])
  service = await startSignIn({
    settings: {
      ...upstreamSettings(upstream.url),
      QUESTBOARD_SMTP_URL: mail.url,
      QUESTBOARD_MAIL_FROM: 'no-reply@questboard.test',
    },
  })
})
beforeEach(() => {
  service.clock.advance(61_000)
  attacker = openBrowser(service.fastify)
  victim = openBrowser(service.fastify)
  wallet = testWallet()
  count++
})
afterAll(async () => {
  await Promise.all([service.close(), upstream.close(), mail.close()])
})

interface Account {
  id: string
  username: string
  identities: { kind: string; subject: string }[]
}
const accountOf = async (browser: Browser) =>
  (await browser.get('/api/session')).json<{ account: Account | null }>().account
const kindsOf = async (browser: Browser) => (await accountOf(browser))?.identities.map(({ kind }) => kind)

/** The callback URL after a user consented at Discord. */
async function discordAnswer(browser: Browser, purpose: string, username: string): Promise<string> {
  const started = await browser.get(`/identity/Discord/start?purpose=${purpose}`)
  expect(started.statusCode, started.body).toBe(303)
  const user = { id: String(7_000 + count), username, global_name: username }
  return `/identity/Discord/callback?${upstream.consent(String(started.headers.location), user).toString()}`
}

const codeOfLastMail = () => /Your code: ([0-9A-Z-]{15})/.exec(mail.mails.at(-1)?.raw ?? '')?.[1] as string

describe('attack 82: a prepared account', () => {
  test('is not that of the victim if its Discord name is the address of the victim', async () => {
    const address = `victim${count}@example.com`
    await attacker.get(await discordAnswer(attacker, 'sign-in', address))
    const prepared = await accountOf(attacker)
    await attacker.call('PATCH', '/api/account', { username: `victim-${count}` })

    const proven = await prove(victim, { kind: 'Email', address }, () => ({ code: codeOfLastMail() }))
    expect(proven.statusCode, proven.body).toBe(200)
    expect((await accountOf(victim))?.id).not.toBe(prepared?.id)
    expect(await kindsOf(victim)).toEqual(['Email'])
    const byWallet = openBrowser(service.fastify)
    await signInWithWallet(byWallet, wallet)
    expect(await kindsOf(byWallet)).toEqual(['EVMAddress'])
    expect(await kindsOf(attacker)).toEqual(['Discord'])
  })

  test('does not come from a challenge', async () => {
    const address = `victim${count}@example.com`
    const before = await countRows(service)
    const mailed = await challenge(attacker, { kind: 'Email', address })
    await challenge(attacker, { kind: 'EVMAddress', address: wallet.address })
    await challenge(attacker, { kind: 'ServiceID' })
    expect(await countRows(service)).toEqual(before)
    expectRejected(
      await attacker.call('POST', `/api/challenges/${mailed.id}/proof`, { code: '0'.repeat(13) }),
      401,
      'bad_signature',
    )
    const account = await signInWithWallet(victim, wallet)
    expect(await kindsOf(victim)).toEqual(['EVMAddress'])
    expect(await accountOf(attacker)).toBeNull()
    expect(account.id).toBe((await accountOf(victim))?.id)
  })

  test('gets no link when the victim opens a link of the attacker', async () => {
    await signInWithWallet(attacker)
    const answer = await discordAnswer(attacker, 'link', 'attacker')
    await signInWithWallet(victim, wallet)
    expect((await victim.get(answer)).statusCode).toBe(400)
    expect(await kindsOf(victim)).toEqual(['EVMAddress'])
    const signIn = await discordAnswer(openBrowser(service.fastify), 'sign-in', 'attacker')
    expect((await victim.get(signIn)).statusCode).toBe(400)
    expect(await kindsOf(victim)).toEqual(['EVMAddress'])
  })

  test('gets no link from a request that started before the victim signed in to the same browser', async () => {
    const shared = attacker
    await signInWithWallet(shared)
    const answer = await discordAnswer(shared, 'link', 'attacker')
    const wallets = await challenge(shared, {
      kind: 'EVMAddress',
      address: testWallet().address,
      purpose: 'link',
    })
    const victims = await signInWithWallet(shared, wallet)
    expect(String((await shared.get(answer)).headers.location)).toContain('identity_error=session_changed')
    const late = await shared.call('POST', `/api/challenges/${wallets.id}/proof`, { signature: '0x00' })
    expectRejected(late, 409, 'session_changed')
    expect((await accountOf(shared))?.id).toBe(victims.id)
    expect(await kindsOf(shared)).toEqual(['EVMAddress'])
  })

  test('does not sign in to the account of the victim with its passkey', async () => {
    interface Ask {
      webauthn: { creation: { challenge: string }; request: { challenge: string } }
    }
    const passkey = testPasskey({ origin: service.issuer, rpId: 'id.questboard.test' })
    await prove(
      attacker,
      { kind: 'ServiceID' },
      (given) => passkey.register((given as unknown as Ask).webauthn.creation) as object,
    )
    const prepared = await accountOf(attacker)
    await signInWithWallet(victim, wallet)
    const again = openBrowser(service.fastify)
    await prove(
      again,
      { kind: 'ServiceID' },
      (given) => passkey.authenticate((given as unknown as Ask).webauthn.request) as object,
    )
    expect((await accountOf(again))?.id).toBe(prepared?.id)
    expect(prepared?.identities).toEqual([])
    expect((await accountOf(victim))?.id).not.toBe(prepared?.id)
  })

  test('cannot link a wallet that belongs to the account of the victim', async () => {
    const attackers = await signInWithWallet(attacker)
    const begun = await challenge(attacker, { kind: 'EVMAddress', address: wallet.address, purpose: 'link' })
    expect(begun.message).toContain(`Link this EVM wallet to your Questboard account ${attackers.username}.`)
    const victims = await signInWithWallet(victim, wallet)
    // Also with a signature of the victim.
    const response = await attacker.call('POST', `/api/challenges/${begun.id}/proof`, {
      signature: wallet.sign(begun.message),
    })
    expectRejected(response, 409, 'identity_taken')
    expect((await signInWithWallet(openBrowser(service.fastify), wallet)).id).toBe(victims.id)
    // A signature for signing in is not valid for linking.
    const signedIn = await challenge(victim, { kind: 'EVMAddress', address: wallet.address })
    const swapped = await prove(attacker, { kind: 'EVMAddress', address: wallet.address, purpose: 'link' }, () => ({
      signature: wallet.sign(signedIn.message),
    }))
    expectRejected(swapped, 401, 'address_mismatch')
  })
})
