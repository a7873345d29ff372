import type { Format } from '../format.ts'

/** Signing in, and linking an identity. */
export const signIn = ({ plural }: Format) => ({
  title: 'Sign in',
  heading: (brand: string) => `Sign in to ${brand}`,
  headingFor: (app: string) => `Sign in to continue to ${app}`,
  lead: 'Choose how to sign in. Your first sign-in creates an account.',
  /** The reason why a page requires a sign-in, by the first part of its path. */
  why: {
    account: 'Sign in to manage your identities, sessions and apps.',
    content: 'Sign in to edit your team’s spaces.',
    explore: 'Sign in to explore. The limits of your account apply. You also see private quests of your spaces.',
    my: 'Sign in to see your ranks and the quests that you can complete.',
    playground: 'Sign in to send queries without a server token.',
    quest: 'Sign in to complete the quest.',
    operator: 'These pages are for operators of this service.',
    settings: 'Sign in to manage your tokens, apps and webhooks.',
  } as Record<string, string>,
  noAccountNeeded: 'Available without an account:',
  leadFor: (host: string) => `After sign-in you return to ${host}.`,
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  continue: 'Continue',
  signedInTitle: 'Signed in',
  otherTab: 'Close this tab, return to the page that asked for the sign-in, and repeat the action there.',
  stayHere: 'Go to your account',

  lastUsed: 'Last used',
  passkey: { use: 'Use a passkey', create: 'New here? Create a passkey', add: 'Add a passkey' },
  otherWays: 'More options',
  back: 'Back',
  waiting: {
    wallet: (name: string) => `Waiting for ${name}`,
    walletHelp: 'Confirm the request in your wallet. If no window opens, click the wallet icon in the browser toolbar.',
    passkey: 'Waiting for your passkey',
    passkeyHelp: 'Follow the instructions of your browser.',
    redirect: (name: string) => `Redirecting to ${name}`,
    checking: 'Checking the code',
  },

  kinds: {
    ServiceID: 'Passkey',
    EVMAddress: 'EVM wallet',
    SolanaAddress: 'Solana wallet',
    SeiAddress: 'Sei wallet',
    AptosAddress: 'Aptos wallet',
    InjectiveAddress: 'Injective wallet',
    FlowAddress: 'Flow wallet',
    Discord: 'Discord',
    Github: 'GitHub',
    Telegram: 'Telegram',
    Twitter: 'X',
    Email: 'Email',
    openid: 'Account',
    'quests:claim': 'Complete quests',
    mcp: 'AI clients',
  } as Record<string, string>,

  wallet: {
    /** A kind that has wallets above in the list. */
    other: (kind: string) => `Other ${kind}`,
    unnamed: 'Browser wallet',
    choose: (kind: string) => `Choose your ${kind}`,
    notFound: (kind: string) => `No ${kind} found`,
    notFoundHelp:
      'Install a wallet extension, or enable it for this site, and reload the page. On a phone, open this page in the browser of your wallet app.',
    look: 'Reload page',
    apps: 'Open in your wallet app',
    openIn: (app: string) => `Open in ${app}`,
    appsHelp:
      'The page opens in the browser of the wallet, where you sign in. If the app is not installed, the link leads to its website.',
    noApps: 'Open this address in the browser of your wallet app:',
    startInApp: (app: string) =>
      `A sign-in stays in the browser where it began. Open ${app} in the browser of your wallet, and start there.`,
    noWebsite: (app: string) =>
      `A sign-in stays in the browser where it began. ${app} has no registered website. Open the app yourself in the browser of your wallet, and start there.`,
    linkInApp: 'Open this site in the browser of your wallet app, sign in to this account there, and link the wallet.',
    qr: 'Open on your phone',
    qrHelp: 'Scan this code with the camera or wallet app of your phone to open this sign-in page.',
    onlyThisComputer:
      'A phone cannot open this page, because its address is only valid on this computer. To use a phone, set QUESTBOARD_PUBLIC_URL to an address that the phone can reach.',
    qrLabel: (url: string) => `QR code for ${url}`,
  },

  email: {
    heading: 'Sign in with email',
    headingLink: 'Link an email address',
    address: 'Email address',
    send: 'Send code',
    sent: (address: string) => `We sent a code to ${address}.`,
    code: 'Code',
    codeHelp: '13 letters and digits. Case, spaces and hyphens do not matter.',
    codeIncomplete: 'Enter all 13 letters and digits.',
    confirm: 'Continue',
    again: 'Send a new code',
    void: { title: 'Code no longer valid', text: 'Request a new code.' },
    other: 'Use another address',
  },

  /** Errors: a title, and how to continue. */
  faults: {
    rejected: { title: 'Request cancelled', text: 'Nothing has changed. Try again, or choose another option.' },
    suspended: { title: 'Account suspended', text: 'Contact the operator of this service.' },
    passkeyRejected: {
      title: 'No passkey used',
      text: 'The request was cancelled, or this device has no passkey for this service. Try again, create a passkey, or choose another option.',
    },
    passkeyExists: {
      title: 'Passkey already linked',
      text: 'This device has a passkey that is linked to your account.',
    },
    passkeyUnsupported: {
      title: 'Passkeys not supported',
      text: 'This browser cannot use passkeys here. Choose another option.',
    },
    wrongNetwork: {
      title: 'Wrong network',
      text: (network: string) => `Switch your wallet to ${network} and try again.`,
    },
    noAccount: { title: 'No account in the wallet', text: 'Unlock your wallet, select an account, and try again.' },
    noAnswer: { title: 'Wallet does not respond', text: 'Unlock your wallet, or reload this page.' },
    unsupported: {
      title: 'Wallet not supported',
      text: 'This wallet lacks a feature that sign-in needs. Choose another wallet.',
    },
    expired: { title: 'Request expired', text: 'Requests expire after five minutes. Try again.' },
    taken: 'Already linked to another account',
    tooMany: {
      title: 'Too many attempts',
      text: 'Wait a few minutes, then try again.',
      textIn: (minutes: number) => plural(minutes, { one: 'Try again in # minute.', other: 'Try again in # minutes.' }),
    },
    unreachable: { title: 'Service unavailable', text: 'Check your connection and try again.' },
    otherAccount: {
      title: 'Account changed in another tab',
      text: 'You signed in or out in another tab. This page now shows the current account.',
    },
    notFresh: { title: 'Sign in again', text: 'This action requires a sign-in within the last hour.' },
    refusedByProvider: {
      title: 'Access denied',
      text: 'The other site did not grant access. Try again, or choose another option.',
    },
    refused: 'Something went wrong',
  },
})
