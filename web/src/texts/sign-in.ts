/** The English texts of signing in, and of linking one more identity. */
export const texts = {
  title: 'Sign in',
  heading: 'Sign in to Questboard',
  headingFor: (app: string) => `Sign in to continue to ${app}`,
  lead: 'Choose how you want to prove who you are. A new account is made the first time.',
  /** Why a page asks who its reader is, by the first part of its address. */
  why: {
    account: 'Your account has your identities, sessions and apps.',
    explore:
      'Explore reads with the limits of an account, and shows private quests to those who own them: it has to know who asks.',
    operator: 'These pages are for the operators of this service.',
    settings: 'Access tokens, apps and webhooks belong to an account.',
  } as Record<string, string>,
  without: 'No account is needed for',
  playground: 'the playground',
  and: 'and',
  manual: 'the manual',
  leadFor: (host: string) => `After this you return to ${host}.`,
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  continue: 'Continue',

  lastUsed: 'Last used',
  passkey: { use: 'Use a passkey', create: 'New here? Create a passkey', add: 'Add a passkey' },
  signInWith: (name: string) => `Sign in with ${name}`,
  link: (name: string) => `Link ${name}`,
  otherWays: 'Other ways',
  nothingElse: 'No other way is switched on here.',
  back: 'Back',
  cancel: 'Cancel',
  retry: 'Try again',
  waiting: {
    wallet: (name: string) => `Waiting for ${name}`,
    walletHelp: 'Confirm in the wallet. If no window opened, click the wallet in the toolbar of your browser.',
    passkey: 'Waiting for your passkey',
    passkeyHelp: 'Follow what your browser shows.',
    redirect: (name: string) => `Going to ${name}`,
    checking: 'One moment…',
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
    Email: 'E-mail',
    openid: 'Account',
  } as Record<string, string>,

  wallet: {
    unnamed: 'the wallet of this browser',
    choose: (kind: string) => `Which ${kind}?`,
    notFound: (kind: string) => `No ${kind} found`,
    notFoundHelp:
      'This browser has none, or it is switched off for this page. Install one and load this page again, or open the page in the browser of a wallet app on your phone.',
    look: 'Look again',
    qr: 'Open on your phone',
    qrHelp: 'Scan this with the camera or the wallet app of your phone. It leads to the sign-in page of this service.',
    qrLabel: (url: string) => `QR code of ${url}`,
  },

  email: {
    heading: 'Sign in by e-mail',
    headingLink: 'Link an e-mail address',
    address: 'E-mail address',
    send: 'Send me a code',
    sent: (address: string) => `A code is on its way to ${address}.`,
    code: 'Code from the mail',
    codeHelp: '13 letters and digits. Case, spaces and dashes do not matter.',
    codeIncomplete: 'A code has 13 letters and digits.',
    confirm: 'Continue',
    again: 'Send a new code',
    void: { title: 'This code is void', text: 'Ask for a new one.' },
    other: 'Use another address',
  },

  /** What went wrong: a title, and what to do. */
  faults: {
    rejected: { title: 'You said no', text: 'Nothing happened. Try again, or choose another way.' },
    passkeyRejected: {
      title: 'No passkey was used',
      text: 'You cancelled, or this device has no passkey for this service. Try again, create one, or choose another way.',
    },
    passkeyExists: { title: 'This device has a passkey already', text: 'It is linked to your account.' },
    passkeyUnsupported: {
      title: 'No passkeys in this browser',
      text: 'This browser cannot use passkeys here. Choose another way.',
    },
    wrongNetwork: {
      title: 'Wrong network',
      text: (network: string) => `Switch the wallet to ${network} and try again.`,
    },
    noAccount: { title: 'The wallet shows no account', text: 'Unlock it, choose an account there, and try again.' },
    noAnswer: { title: 'The wallet does not answer', text: 'Unlock it or load this page again.' },
    unsupported: {
      title: 'This wallet cannot sign in',
      text: 'It lacks a feature that is needed. Choose another one.',
    },
    expired: { title: 'That took too long', text: 'The request is over after five minutes. Try again.' },
    taken: { title: 'Already linked elsewhere', text: '' },
    tooMany: {
      title: 'Too many attempts',
      text: 'Wait some minutes and try again.',
      textIn: (minutes: number) => `Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`,
    },
    unreachable: { title: 'No answer from the service', text: 'Check your connection and try again.' },
    otherAccount: {
      title: 'Somebody signed in or out in another tab',
      text: 'This page now shows how things stand.',
    },
    notFresh: { title: 'Sign in once more', text: 'This needs a sign-in within the last hour.' },
    refusedByProvider: {
      title: 'It was not allowed there',
      text: 'Nothing happened. Try again, or choose another way.',
    },
    refused: { title: 'That did not work', text: '' },
  },
}
