import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { widgetHash } from '../../server/src/identity/social/telegram-widget.ts'
import { type FlowNode, startFlowNode } from '../../server/test/identity/upstreams/flow-node.ts'
import { type MailServer, startMailServer } from '../../server/test/identity/upstreams/mail-server.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { testWallet } from '../../server/test/support/oauth-wallet.ts'
import { openBrowser, openProfile, type Visit, visit } from './browser.ts'
import { findChromium } from './chromium.ts'
import { injectAptos, injectFlow, injectKeplr, injectSolana } from './injected-wallets.ts'
import { checkLooks } from './looks.ts'
import { type InjectedWallet, injectWallet } from './signed-in.ts'

const WEB_DIST = join(import.meta.dirname, '../dist')
const MAX_SCRIPT_BYTES = 200_000

const evm: InjectedWallet = { name: 'Foxy', wallet: testWallet() }
const aptos = { chainId: 1 }
const botToken = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

let node: FlowNode
let mail: MailServer
let service: SignInService
let browser: Browser
let profile: BrowserContext
let addresses: { solana: string; aptos: string; flow: string; keplr: { sei: string; injective: string } }
let here: Visit

describe.skipIf(findChromium() === undefined)('signing in with the wallets of a browser, and without one', () => {
  beforeAll(async () => {
    node = await startFlowNode()
    mail = await startMailServer()
    service = await startListening({
      QUESTBOARD_FLOW_NODE: node.url,
      QUESTBOARD_TELEGRAM_BOT_TOKEN: botToken,
      QUESTBOARD_SMTP_URL: mail.url,
      QUESTBOARD_MAIL_FROM: 'Questboard <no-reply@questboard.test>',
    })
    browser = await openBrowser()
    profile = await openProfile(browser, { width: 1280, scheme: 'light' })
    await injectWallet(profile, evm)
    addresses = {
      solana: await injectSolana(profile),
      aptos: await injectAptos(profile, aptos),
      keplr: await injectKeplr(profile),
      flow: await injectFlow(profile, node),
    }
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
    await node.close()
    await mail.close()
  })
  afterEach(async () => {
    await here.page.close()
    expect(here.complaints).toEqual([])
  })

  const open = async (context = profile) => {
    await context.clearCookies()
    here = await visit(context, `${service.issuer}/sign-in`)
    await here.page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    return here.page
  }
  const signedInAs = async (page: Page, address: string) => {
    await page.getByRole('heading', { name: 'Linked identities' }).waitFor()
    await page.getByText(address, { exact: true }).waitFor()
  }

  test('offers every announced wallet by its name', async () => {
    const page = await open()
    for (const name of ['Foxy', 'Sol Wallet', /^Apt Wallet/, 'New Apt Wallet', 'Lily'])
      await page.getByRole('button', { name }).waitFor()
    await checkLooks(page, 'sign-in-wallets')
  })

  test('Solana, by Sign In With Solana', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Sol Wallet' }).click()
    await signedInAs(page, addresses.solana)
  })

  test('Aptos, by a message; a wallet on another network must switch', async () => {
    const page = await open()
    aptos.chainId = 2
    await page.getByRole('button', { name: /^Apt Wallet/ }).click()
    await page.getByRole('alert').getByText('Wrong network').waitFor()
    await page.getByText('Switch your wallet to mainnet and try again.').waitFor()
    aptos.chainId = 1
    await page.getByRole('button', { name: /^Apt Wallet/ }).click()
    await signedInAs(page, addresses.aptos)
  })

  test('Aptos, by its own sign-in', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'New Apt Wallet' }).click()
    await signedInAs(page, addresses.aptos)
  })

  test('Sei, by Keplr', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Sei wallet' }).click()
    await page.getByRole('heading', { name: 'Choose your Sei wallet' }).waitFor()
    await page.getByRole('button', { name: 'Keplr' }).click()
    await signedInAs(page, addresses.keplr.sei)
  })

  test('Injective, by an EVM wallet', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Injective wallet' }).click()
    await page.getByRole('button', { name: 'Foxy' }).click()
    await page.getByText(/^inj1/).waitFor()
  })

  test('Injective, by Keplr', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Other Injective wallet' }).click()
    await page.getByRole('button', { name: 'Keplr' }).click()
    await signedInAs(page, addresses.keplr.injective)
  })

  test('Flow, by an extension’s account proof', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'Lily' }).click()
    await signedInAs(page, addresses.flow)
  })

  test('allows a retry after a refusal in the wallet and after a timeout', async () => {
    const page = await open()
    evm.refuses = 4001
    await page.getByRole('button', { name: 'Foxy' }).click()
    await page.getByRole('alert').getByText('Request cancelled').waitFor()
    delete evm.refuses
    const real = evm.wallet
    const slow = () => service.database.query('DELETE FROM challenges')
    evm.wallet = { ...real, sign: (message) => slow().then(() => real.sign(message)) as unknown as string }
    await page.getByRole('button', { name: 'Foxy' }).click()
    await page.getByRole('alert').getByText('Request expired').waitFor()
    evm.wallet = real
    await page.getByRole('button', { name: 'Foxy' }).click()
    await signedInAs(page, real.address.toLowerCase())
  })

  test('allows a retry after a wallet never responded and the user cancelled', async () => {
    const page = await open()
    const real = evm.wallet
    evm.wallet = { ...real, sign: () => new Promise(() => {}) as unknown as string }
    await page.getByRole('button', { name: 'Foxy' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    evm.wallet = real
    await page.getByRole('button', { name: 'Foxy' }).click()
    await signedInAs(page, real.address.toLowerCase())
  })

  test('email: accepts a corrected code, and sends a new code to the same address', async () => {
    const page = await open()
    const code = page.getByRole('textbox', { name: 'Code' })
    const sentCode = () => /Your code: ([0-9A-Z-]{15})/.exec(mail.mails.at(-1)?.raw ?? '')?.[1] ?? ''
    const enter = async (text: string) => {
      await code.fill(text)
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
    }
    await page.getByRole('button', { name: 'Email', exact: true }).click()
    await page.getByLabel('Email address').fill('Ada@example.com')
    await page.getByRole('button', { name: 'Send code' }).click()
    await code.waitFor()
    await checkLooks(page, 'sign-in-email')
    await enter('123')
    await page.getByText('Enter all 13 letters and digits.').waitFor()
    for (const left of [4, 3, 2, 1]) {
      await enter('0000000000000')
      await page.getByText(`The code is wrong. Attempts left: ${left}.`).waitFor()
      if (left === 4) await checkLooks(page, 'sign-in-email-wrong-code')
    }
    await enter('0000000000000')
    await page.getByRole('alert').getByText('Code no longer valid').waitFor()
    expect(await page.getByLabel('Email address').inputValue()).toBe('Ada@example.com')
    await page.getByRole('button', { name: 'Send a new code' }).click()
    await code.waitFor()
    await enter('0000000000000')
    await page.getByText('Attempts left: 4.').waitFor()
    await enter(sentCode().toLowerCase().replaceAll('-', ' '))
    await signedInAs(page, 'ada@example.com')
  })

  test('Telegram, by its login widget, which returns its response in the fragment', async () => {
    const widget = 'https://oauth.telegram.org'
    await profile.route(`${widget}/**`, async (route) => {
      const asked = new URL(route.request().url()).searchParams
      const user = { id: '4711', username: 'ada', auth_date: String(Math.floor(Date.now() / 1000)) }
      const answer = JSON.stringify({ ...user, hash: widgetHash(botToken, user).toString('hex') })
      const location = `${asked.get('return_to')}#tgAuthResult=${Buffer.from(answer).toString('base64url')}`
      await route.fulfill({ status: 302, headers: { location } })
    })
    const page = await open()
    await page.getByRole('button', { name: 'Telegram' }).click()
    await signedInAs(page, 'ada')
    expect(page.url()).not.toContain('tgAuthResult')
    here.complaints = here.complaints.filter((complaint) => complaint !== `asked ${widget}`)
  })

  test('offers help without a wallet: a way back, and a QR code if a phone can open the address of the page', async () => {
    const page = await open(await openProfile(browser, { width: 1280, scheme: 'light' }))
    await checkLooks(page, 'sign-in')
    await page.getByRole('button', { name: 'Solana wallet' }).click()
    await page.getByRole('heading', { name: 'No Solana wallet found' }).waitFor()
    await page.getByText('A phone cannot open this page').waitFor()
    expect(await page.getByRole('img', { name: /^QR code/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    const board = 'https://board.example'
    await page.route(`${board}/**`, async (route) => {
      const url = route.request().url().replace(board, service.issuer)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
    await page.goto(`${board}/sign-in`)
    await page.getByRole('button', { name: 'Solana wallet' }).click()
    await page.getByRole('img', { name: `QR code for ${board}/sign-in` }).waitFor()
    await checkLooks(page, 'sign-in-no-wallet')
    here.complaints = here.complaints.filter((complaint) => complaint !== `asked ${board}`)
  })

  test('opens the page in the browser of a wallet app on a phone, with the page that the user wanted', async () => {
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
    const profile = await openProfile(browser, { width: 360, scheme: 'light', userAgent })
    here = await visit(profile, `${service.issuer}/sign-in?return=%2Fexplore%2Fspaces%2F40%3Fsprint%3D1`)
    const { page } = here
    const wanted = `${service.issuer}/sign-in?return=%2Fexplore%2Fspaces%2F40%3Fsprint%3D1`
    const linksOf = async (kind: string) => {
      await page.getByRole('button', { name: kind }).click()
      await page.getByRole('heading', { name: 'Open in your wallet app' }).waitFor()
      expect(await page.getByRole('img', { name: /^QR code/ }).count()).toBe(0)
      const links = await page.getByRole('link', { name: /^Open in / }).all()
      const hrefs = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''))
      if (kind === 'EVM wallet') await checkLooks(page, 'sign-in-phone')
      await page.getByRole('button', { name: 'Back' }).click()
      return hrefs
    }
    const [text, origin] = [encodeURIComponent(wanted), encodeURIComponent(service.issuer)]
    expect(await linksOf('EVM wallet')).toEqual([
      `https://link.metamask.io/dapp/${wanted.replace('http://', '')}`,
      `https://go.cb-w.com/dapp?cb_url=${text}`,
      `https://link.trustwallet.com/open_url?coin_id=60&url=${text}`,
      `https://phantom.app/ul/browse/${text}?ref=${origin}`,
    ])
    expect(await linksOf('Solana wallet')).toEqual([
      `https://phantom.app/ul/browse/${text}?ref=${origin}`,
      `https://solflare.com/ul/v1/browse/${text}?ref=${origin}`,
      `https://link.trustwallet.com/open_url?coin_id=501&url=${text}`,
    ])
    expect(await linksOf('Sei wallet')).toEqual([`https://deeplink.keplr.app/web-browser?url=${text}`])
    expect(await linksOf('Flow wallet')).toEqual([])
  })

  test('loads less than 200 kB of script before the sign-in', async () => {
    const page = await open()
    const urls = await page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`)
    const scripts = urls.map((url) => new URL(url).pathname).filter((path) => path.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(2)
    const sizes = scripts.map((path) => gzipSync(readFileSync(join(WEB_DIST, path))).length)
    const all = sizes.reduce((a, b) => a + b, 0)
    expect(all).toBeLessThan(MAX_SCRIPT_BYTES)
    const paint = `performance.getEntriesByName('first-contentful-paint')[0].startTime`
    process.stdout.write(
      `sign-in page: ${Math.round(all / 1_000)} kB of script, gzip; first paint after ${Math.round(await page.evaluate<number>(paint))} ms\n`,
    )
  })
})
