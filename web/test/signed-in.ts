import type { BrowserContext } from 'playwright-core'
import type { SignedIn } from '../../server/test/support/oauth-flow.ts'
import type { TestWallet } from '../../server/test/support/oauth-wallet.ts'

/** Gives a browser profile the cookies of a user who signed in through the API. */
export async function actAs(
  profile: BrowserContext,
  issuer: string,
  { browser }: Pick<SignedIn, 'browser'>,
): Promise<void> {
  await profile.clearCookies()
  const cookies = [...browser.cookies].map(([name, value]) => ({
    name,
    value,
    url: issuer,
    httpOnly: !name.endsWith('-signed-in'),
  }))
  await profile.addCookies(cookies)
}

export interface InjectedWallet {
  name: string
  wallet: TestWallet
  /** The EIP-1193 code with which it refuses to sign, if set. */
  refuses?: number
}

/** Adds an EVM wallet to every page of a profile: it announces itself (EIP-6963) and signs every request. */
export async function injectWallet(profile: BrowserContext, injected: InjectedWallet): Promise<void> {
  await profile.exposeFunction('walletAnswers', (method: string, params: string[] = []) => {
    if (method === 'eth_requestAccounts') return [injected.wallet.address]
    if (method === 'eth_chainId') return '0x1'
    if (injected.refuses !== undefined) return { code: injected.refuses }
    return injected.wallet.sign(Buffer.from(params[0]?.slice(2) ?? '', 'hex').toString('utf8'))
  })
  await profile.addInitScript(`
    const provider = {
      async request({ method, params }) {
        const answer = await window.walletAnswers(method, params)
        if (answer.code !== undefined) throw Object.assign(new Error('said no'), { code: answer.code })
        return answer
      },
    }
    const info = { uuid: 'test', rdns: 'test.wallet', name: ${JSON.stringify(injected.name)} }
    const detail = Object.freeze({ info, provider })
    window.addEventListener('eip6963:requestProvider', () =>
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))`)
}
