import { useSyncExternalStore } from 'react'
import { signIn as texts } from '../texts/index.ts'
import { discoverEvm } from './evm.ts'
import { discoverFlow } from './flow.ts'
import type { InstalledWallet } from './installed-wallet.ts'
import { discoverKeplr } from './keplr.ts'
import { discoverStandard } from './wallet-standard.ts'

let wallets: readonly InstalledWallet[] = []
let started = false
const listeners = new Set<() => void>()

/** Every wallet that made itself known to this page, each once for a kind; the list grows while wallets load. */
export function useInstalledWallets(): readonly InstalledWallet[] {
  return useSyncExternalStore(subscribe, () => wallets)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  start()
  return () => listeners.delete(listener)
}

function start(): void {
  if (started) return
  started = true
  discoverEvm(add, texts.wallet.unnamed)
  discoverStandard(add)
  discoverKeplr(add)
  discoverFlow(add)
  // Keplr and Flow wallets do not announce themselves, so they are searched again after the page has loaded.
  window.addEventListener('load', () => {
    discoverKeplr(add)
    discoverFlow(add)
  })
}

function add(found: readonly InstalledWallet[]): void {
  const news = found.filter(({ id }) => !wallets.some((known) => known.id === id))
  if (news.length === 0) return
  wallets = [...wallets, ...news]
  for (const listener of listeners) listener()
}
