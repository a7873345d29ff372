/** The English texts of the page on which a user decides what an app may see. */
export const texts = {
  title: 'Share with an app',
  heading: (app: string) => `${app} asks to see`,
  nothing: 'Nothing but that you have an account here.',
  approved: 'Approved by the operator of this service',
  homepage: (host: string) => `Website: ${host}`,
  as: (name: string) => `You are ${name}.`,
  returnsTo: 'After this you return to',
  none: 'You have not linked one, so nothing is shown.',
  link: (kind: string) => `Link one now: ${kind}`,
  notNow: 'Not now',
  openid: 'A number that stands for your account, and nothing else of it.',
  /** What a scope is called here, where it is not called like its kind. */
  scopes: { ServiceID: 'Your username here', openid: 'Your account here' } as Record<string, string>,
  pick: (kind: string) => `${kind}: which one?`,
  allow: 'Allow',
  deny: 'Refuse and go back',
  otherAccount: 'Use another account',
  going: (host: string) => `Going back to ${host}`,
  otherExpected: {
    title: 'Another account is expected',
    text: 'The app knows you by another account. Sign in with that one, or refuse.',
  },
  gone: {
    title: 'This request is over',
    text: 'It was answered, took longer than half an hour, or was made in another browser. Go back to the app and start again there.',
  },
  changed: 'Something changed since this page was loaded; look at it again before you allow it.',
  stillValid: 'Nothing is shown to the app until you allow it. You can take it back at any time under Account → Apps.',
}
