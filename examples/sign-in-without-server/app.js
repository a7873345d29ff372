import { createSignIn, OAuthError } from '@questboard/client'

/** Signs users in from a static page. It needs no secret: the verifier of the attempt never leaves this tab. */
const main = /** @type {HTMLElement} */ (document.querySelector('main'))
const status = /** @type {HTMLElement} */ (document.querySelector('[role=status]'))
const button = /** @type {HTMLButtonElement} */ (document.querySelector('button'))

const signIn = createSignIn({
  baseUrl: main.dataset.service ?? '',
  clientId: main.dataset.clientId ?? '',
  redirectUri: location.origin + location.pathname,
  scope: ['EVMAddress'],
})

/**
 * Only this tab can read it, until the tab is closed.
 * @type {(name: string) => unknown}
 */
const stored = (name) => JSON.parse(sessionStorage.getItem(name) ?? 'null')

/** @param {string} name @param {unknown} value */
const store = (name, value) => sessionStorage.setItem(name, JSON.stringify(value))

async function begin() {
  const { url, attempt } = await signIn.begin()
  store('attempt', attempt)
  location.assign(url)
}

function signOut() {
  sessionStorage.clear()
  show('You are not signed in.', 'Sign in', begin)
}

/**
 * @param {string} text
 * @param {string} action
 * @param {() => unknown} run
 */
function show(text, action, run) {
  status.textContent = text
  button.textContent = action
  button.onclick = run
}

/** Redeems the code of a callback, and removes it from the address. */
async function finish() {
  const attempt = /** @type {import('@questboard/client').Attempt | null} */ (stored('attempt'))
  const callback = location.search
  sessionStorage.removeItem('attempt')
  history.replaceState(null, '', location.pathname)
  store('tokens', await signIn.finish(callback, attempt))
}

try {
  if (new URLSearchParams(location.search).has('state')) await finish()
  const tokens = /** @type {import('@questboard/client').Tokens | null} */ (stored('tokens'))
  if (tokens === null) signOut()
  else {
    const session = signIn.session(tokens, (renewed) => store('tokens', renewed))
    const { EVMAddress } = await signIn.userData(await session.accessToken())
    show(`Signed in as ${EVMAddress ?? 'a user without a wallet'}.`, 'Sign out', signOut)
  }
} catch (error) {
  if (!(error instanceof OAuthError)) throw error
  sessionStorage.clear()
  show(error.code === 'access_denied' ? 'You refused.' : 'The sign-in failed.', 'Sign in', begin)
}
