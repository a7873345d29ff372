import { type InstalledWallet, safeIcon, toHex } from './installed-wallet.ts'
import { WalletFailure } from './wallet-failure.ts'

interface Provider {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>
}

/** EIP-6963: a provider with what its wallet calls itself. */
interface Announcement {
  info: { uuid: string; name: string; icon?: string; rdns?: string }
  provider: Provider
}

/** The kinds whose wallets speak EIP-4361. */
const KINDS = ['EVMAddress', 'SeiAddress', 'InjectiveAddress'] as const

/** Reports every wallet that announces itself, now and later; without any, the wallet that injected itself. */
export function discoverEvm(found: (wallets: InstalledWallet[]) => void, unnamed: string): void {
  const announced = new Map<string, Announcement>()
  window.addEventListener('eip6963:announceProvider', (event) => {
    const { detail } = event as CustomEvent<Announcement>
    if (typeof detail?.provider?.request !== 'function' || announced.has(detail.info.uuid)) return
    announced.set(detail.info.uuid, detail)
    found(KINDS.map((kind) => evmWallet(kind, detail)))
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  const injected = (window as { ethereum?: Provider }).ethereum
  if (announced.size > 0 || typeof injected?.request !== 'function') return
  const detail = { info: { uuid: 'injected', name: unnamed }, provider: injected }
  found(KINDS.map((kind) => evmWallet(kind, detail)))
}

function evmWallet(kind: string, { info, provider }: Announcement): InstalledWallet {
  return {
    id: `${kind}:${info.rdns ?? info.name}`,
    kind,
    name: info.name,
    icon: safeIcon(info.icon),
    async prove(ask) {
      const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
      if (address === undefined) throw new WalletFailure('no-account')
      const chainId = Number(await provider.request({ method: 'eth_chainId' }))
      const challenge = await ask({ address, chainId })
      const message = toHex(new TextEncoder().encode(challenge.message))
      const signature = await provider.request({ method: 'personal_sign', params: [message, address] })
      return { challenge, proof: { signature } }
    },
  }
}
