import { getWallets } from '@wallet-standard/app'
import { aptosWallet } from './aptos.ts'
import type { InstalledWallet, StandardWallet } from './installed-wallet.ts'
import { solanaWallet } from './solana.ts'

/** Reports the Solana and Aptos wallets of this browser, now and later. */
export function discoverStandard(found: (wallets: InstalledWallet[]) => void): void {
  const wallets = getWallets()
  const tell = (news: readonly StandardWallet[]) =>
    found(news.flatMap((wallet) => [solanaWallet(wallet), aptosWallet(wallet)].filter((able) => able !== undefined)))
  tell(wallets.get())
  wallets.on('register', (...news) => tell(news))
}
