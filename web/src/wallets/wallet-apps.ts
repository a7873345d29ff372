/** An app for phones whose browser contains a wallet. */
export interface WalletApp {
  name: string
  kinds: readonly string[]
  /** A link that opens a page in the browser of the app, or the website of the app if it is not installed. */
  open: (page: URL) => string
}

const text = encodeURIComponent

/**
 * No other file has these links. Their sources are the makers of the apps:
 * MetaMask: docs.metamask.io, "Use deeplinks". Coinbase Wallet: docs.cdp.coinbase.com, "Mobile dapp integration".
 * Trust Wallet: developer.trustwallet.com, "Deep Linking". Phantom: docs.phantom.com, "Browse".
 * The links of Keplr and Solflare are those that public apps use.
 */
const walletApps: readonly WalletApp[] = [
  {
    name: 'MetaMask',
    kinds: ['EVMAddress'],
    // Not encoded: the app opens an empty tab otherwise.
    open: ({ host, pathname, search }) => `https://link.metamask.io/dapp/${host}${pathname}${search}`,
  },
  {
    name: 'Coinbase Wallet',
    kinds: ['EVMAddress'],
    open: ({ href }) => `https://go.cb-w.com/dapp?cb_url=${text(href)}`,
  },
  {
    name: 'Trust Wallet',
    kinds: ['EVMAddress'],
    open: ({ href }) => `https://link.trustwallet.com/open_url?coin_id=60&url=${text(href)}`,
  },
  {
    name: 'Phantom',
    kinds: ['SolanaAddress', 'EVMAddress'],
    open: ({ href, origin }) => `https://phantom.app/ul/browse/${text(href)}?ref=${text(origin)}`,
  },
  {
    name: 'Solflare',
    kinds: ['SolanaAddress'],
    open: ({ href, origin }) => `https://solflare.com/ul/v1/browse/${text(href)}?ref=${text(origin)}`,
  },
  {
    name: 'Trust Wallet',
    kinds: ['SolanaAddress'],
    open: ({ href }) => `https://link.trustwallet.com/open_url?coin_id=501&url=${text(href)}`,
  },
  {
    name: 'Keplr',
    kinds: ['SeiAddress', 'InjectiveAddress'],
    open: ({ href }) => `https://deeplink.keplr.app/web-browser?url=${text(href)}`,
  },
]

export const walletAppsFor = (kind: string): WalletApp[] => walletApps.filter(({ kinds }) => kinds.includes(kind))

/** Browsers of phones and tablets have no extensions. Tablets of Apple say that they are a Mac. */
export const isPhone = (): boolean =>
  /Android|iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
