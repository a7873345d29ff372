import type { Challenge, Purpose } from '../api/challenges.ts'
import type { IdentityKind } from '../api/identity-kinds.ts'
import { signIn as texts } from '../texts/index.ts'
import type { InstalledWallet } from '../wallets/installed-wallet.ts'
import { rememberWay } from './last-way.ts'
import { provePasskey } from './passkey.ts'
import { leaveForTelegram } from './telegram.ts'
import type { Job } from './use-proof.ts'

const t = texts.waiting

export const passkeyJob = (way: 'use' | 'create'): Job => ({
  id: 'ServiceID',
  kind: 'ServiceID',
  title: t.passkey,
  help: t.passkeyHelp,
  run: (ask) => provePasskey(ask, way),
})

export const walletJob = (wallet: InstalledWallet): Job => ({
  id: wallet.id,
  kind: wallet.kind,
  title: t.wallet(wallet.name),
  help: t.walletHelp,
  run: (ask) => wallet.prove(ask),
})

/** The challenge was created when the email was requested. */
export const emailJob = (challenge: Challenge, code: string): Job => ({
  id: 'Email',
  kind: 'Email',
  title: t.checking,
  help: '',
  run: async () => ({ challenge, proof: { code } }),
})

/** Leaves this page. The sign-in page handles the response. */
export const telegramJob = (returnTo: string): Job => ({
  id: 'Telegram',
  kind: 'Telegram',
  title: t.redirect('Telegram'),
  help: '',
  run: async (ask) => {
    leaveForTelegram(await ask(), returnTo)
    return new Promise(() => undefined)
  },
})

/** Opens another site, which redirects to `returnTo`, with `identity_error` in the query if it failed. */
export function leaveForSite({ kind, start }: IdentityKind, purpose: Purpose, returnTo: string): void {
  if (purpose === 'sign-in') rememberWay(kind)
  const query = new URLSearchParams({ purpose, return: returnTo })
  window.location.assign(`${start ?? ''}?${query.toString()}`)
}
