import type { InstalledWallet } from './installed-wallet.ts'

interface Keplr {
  enable(chainId: string): Promise<void>
  getKey(chainId: string): Promise<{ bech32Address: string }>
  signArbitrary(
    chainId: string,
    signer: string,
    data: string,
  ): Promise<{ signature: string; pub_key: { value: string } }>
}

/** Cosmos wallets that provide Keplr's interface under another name. */
const PLACES: readonly { name: string; id: string; find: (page: PageWithWallets) => Keplr | undefined }[] = [
  { name: 'Keplr', id: 'keplr', find: (page) => page.keplr },
  { name: 'Cosmostation', id: 'cosmostation', find: (page) => page.cosmostation?.providers?.keplr },
  { name: 'OKX Wallet', id: 'okx', find: (page) => page.okxwallet?.keplr },
  { name: 'Compass', id: 'compass', find: (page) => page.compass },
]

interface PageWithWallets {
  keplr?: Keplr
  cosmostation?: { providers?: { keplr?: Keplr } }
  okxwallet?: { keplr?: Keplr }
  compass?: Keplr
}

const CHAINS = { SeiAddress: 'pacific-1', InjectiveAddress: 'injective-1' } as const

export function discoverKeplr(found: (wallets: InstalledWallet[]) => void): void {
  for (const { name, id, find } of PLACES) {
    const keplr = find(window as PageWithWallets)
    if (typeof keplr?.signArbitrary !== 'function') continue
    found(
      Object.entries(CHAINS).map(([kind, chainId]) => keplrWallet(kind, chainId, { id: `${kind}:${id}`, name, keplr })),
    )
  }
}

/** ADR-036 over the text of the challenge. */
function keplrWallet(
  kind: string,
  chainId: string,
  { id, name, keplr }: { id: string; name: string; keplr: Keplr },
): InstalledWallet {
  return {
    id,
    kind,
    name,
    icon: undefined,
    async prove(ask) {
      await keplr.enable(chainId)
      const { bech32Address: address } = await keplr.getKey(chainId)
      const challenge = await ask({ address })
      const { signature, pub_key } = await keplr.signArbitrary(chainId, address, challenge.message ?? '')
      return { challenge, proof: { signature, publicKey: pub_key.value } }
    },
  }
}
