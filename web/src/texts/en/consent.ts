/** The page on which a user decides what an app may see. */
export const consent = {
  title: 'Authorize app',
  heading: (app: string) => `${app} requests access`,
  nothing: 'Only that you have an account here.',
  approved: 'Approved by the operator of this service',
  publishedBy: (host: string) => `Published by ${host}`,
  notReviewed: {
    title: 'Not reviewed by the operator',
    text: (host: string) =>
      `The name comes from ${host}. Continue only if you have just started to connect this program yourself.`,
  },
  homepage: (host: string) => `Website: ${host}`,
  as: (name: string) => `Signed in as ${name}.`,
  returnsTo: 'You will return to',
  none: 'Not linked, so nothing is shared.',
  link: (kind: string) => `Link ${kind}`,
  notNow: 'Not now',
  signOut: {
    title: 'Sign out',
    question: (app: string, name: string) => `${app} asks to sign you out here. You are signed in as ${name}.`,
    plainQuestion: (name: string) => `You are signed in as ${name}.`,
    confirm: 'Sign out',
    stay: 'Stay signed in',
    done: 'You are signed out.',
    back: (app: string) => `Back to ${app}`,
    home: 'Home',
  },
  /** The effects of scopes that are not identities. */
  notes: {
    openid: 'An ID of your account, and nothing else.',
    'quests:claim':
      'The app can complete quests with your linked wallets. It sees the address that a quest uses, and the conditions that you do not meet.',
    mcp: 'An AI client can read leaderboards, credentials and quests as you can, including private ones of your spaces. It cannot change anything.',
  } as Record<string, string>,
  /** Names of scopes that differ from the name of their kind. */
  scopes: {
    ServiceID: 'Your username',
    openid: 'Your account ID',
    'quests:claim': 'Complete quests for you',
    mcp: 'Read with your account',
  } as Record<string, string>,
  pick: (kind: string) => `Choose what to share: ${kind}`,
  allow: 'Allow',
  deny: 'Deny',
  otherAccount: 'Use another account',
  going: (host: string) => `Returning to ${host}`,
  otherExpected: {
    title: 'Different account expected',
    text: 'This app knows you by another account. Sign in with that account, or deny the request.',
  },
  gone: {
    title: 'Request expired',
    text: 'It was already answered, is older than 30 minutes, or was started in another browser. Go back to the app and start again.',
  },
  changed: 'Something changed since you opened this page. Review it again before you allow access.',
  stillValid:
    'The app sees nothing until you allow it. You can revoke access at any time on the page “Authorized apps” of your account.',
}
