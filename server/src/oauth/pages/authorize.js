// The sign-in and consent page. All that it does goes through the JSON API; texts are set as text, never as HTML.
const authorizationId = location.pathname.split('/').pop()
const content = document.getElementById('content')
let session

async function api(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(session && { 'x-csrf-token': session.csrfToken }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = response.status === 204 ? {} : await response.json()
  if (!response.ok) throw new Error(answer.error?.message ?? `The service answered ${response.status}`)
  return answer
}

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties)
  node.append(...children)
  return node
}

function show(...nodes) {
  content.replaceChildren(...nodes)
}

function button(text, className, action) {
  const node = element('button', { type: 'button', className }, text)
  node.addEventListener('click', () => attempt(action))
  return node
}

async function attempt(action) {
  const controls = content.querySelectorAll('button, input')
  for (const control of controls) control.disabled = true
  try {
    await action()
  } catch (error) {
    for (const control of controls) control.disabled = false
    content.querySelector('.fault')?.remove()
    content.append(element('p', { className: 'fault', role: 'alert' }, error.message))
  }
}

const failures = {
  fresh_sign_in_required: 'Linking needs a recent sign-in: use another account, sign in again, and link then.',
  identity_taken: 'This identity belongs to another account.',
  access_denied: 'The other site did not confirm who you are.',
}

function showFailure() {
  const code = new URLSearchParams(location.search).get('identity_error')
  if (code === null) return
  const text = failures[code] ?? 'The identity could not be linked; try again.'
  content.append(element('p', { className: 'fault', role: 'alert' }, text))
  history.replaceState(null, '', location.pathname)
}

async function start() {
  session = await api('GET', '/api/session')
  const request = await api('GET', `/api/authorizations/${authorizationId}`)
  if (request.account) showConsent(request)
  else showSignIn(request)
  showFailure()
}

function heading(request, text) {
  const nodes = [element('h1', {}, text)]
  if (request.app.logo) nodes.unshift(element('img', { src: request.app.logo, alt: '' }))
  return nodes
}

function showSignIn(request) {
  const nodes = heading(request, `Sign in to continue to ${request.app.name}`)
  if (request.otherAccountExpected)
    nodes.push(element('p', { className: 'fault' }, 'The app expects another account than the one you signed in with.'))
  if (window.PublicKeyCredential) {
    nodes.push(button('Use a passkey', 'main', () => signInWithPasskey('request')))
    nodes.push(button('Create an account with a new passkey', '', () => signInWithPasskey('creation')))
  }
  for (const wallet of wallets)
    nodes.push(button(`Sign in with ${wallet.info.name}`, '', () => proveWithWallet(wallet.provider, 'sign-in')))
  if (nodes.length === 1)
    nodes.push(
      element('p', {}, 'This browser has neither passkeys nor an EVM wallet, so there is no way to sign in here.'),
    )
  nodes.push(refuseButton())
  show(...nodes)
}

const encode = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const decode = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
const withId = (entry) => ({ ...entry, id: decode(entry.id) })

async function signInWithPasskey(how) {
  const challenge = await api('POST', '/api/challenges', { kind: 'ServiceID', purpose: 'sign-in' })
  const options = challenge.webauthn[how]
  const publicKey = { ...options, challenge: decode(options.challenge) }
  if (how === 'creation') {
    publicKey.user = withId(options.user)
    publicKey.excludeCredentials = options.excludeCredentials.map(withId)
  }
  const credential =
    how === 'creation'
      ? await navigator.credentials.create({ publicKey })
      : await navigator.credentials.get({ publicKey })
  const { response } = credential
  const sent = { clientDataJSON: encode(response.clientDataJSON) }
  if (how === 'creation') {
    sent.attestationObject = encode(response.attestationObject)
    sent.transports = response.getTransports?.() ?? []
  } else {
    sent.authenticatorData = encode(response.authenticatorData)
    sent.signature = encode(response.signature)
    if (response.userHandle) sent.userHandle = encode(response.userHandle)
  }
  const { id } = credential
  await prove(challenge, {
    credential: { id, rawId: id, type: credential.type, response: sent, clientExtensionResults: {} },
  })
}

const wallets = []
window.addEventListener('eip6963:announceProvider', (event) => {
  if (!wallets.some((wallet) => wallet.info.uuid === event.detail.info.uuid)) wallets.push(event.detail)
})
window.dispatchEvent(new Event('eip6963:requestProvider'))
if (wallets.length === 0 && window.ethereum)
  wallets.push({ info: { name: 'your EVM wallet' }, provider: window.ethereum })

async function proveWithWallet(provider, purpose) {
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  const chainId = Number(await provider.request({ method: 'eth_chainId' }))
  const challenge = await api('POST', '/api/challenges', { kind: 'EVMAddress', purpose, address, chainId })
  const hex = `0x${[...new TextEncoder().encode(challenge.message)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
  const signature = await provider.request({ method: 'personal_sign', params: [hex, address] })
  await prove(challenge, { signature })
}

async function prove(challenge, proof) {
  await api('POST', `/api/challenges/${challenge.id}/proof`, proof)
  await start()
}

function showConsent(request) {
  const nodes = heading(request, `${request.app.name} asks to see`)
  const form = element('form')
  const identityScopes = request.scopes.filter((entry) => entry.scope !== 'openid')
  for (const entry of identityScopes) form.append(scopeField(entry))
  if (identityScopes.length === 0) form.append(element('p', {}, 'Nothing but that you have an account here.'))
  nodes.push(form)
  nodes.push(
    button('Allow', 'main', () => {
      const identities = Object.fromEntries(new FormData(form).entries())
      return decide('allow', identities)
    }),
    refuseButton(),
    button('Use another account', '', async () => {
      await api('DELETE', '/api/session')
      await start()
    }),
    element(
      'p',
      { className: 'note' },
      `You are ${request.account.username}. After this you return to ${request.app.returnsTo}.`,
    ),
  )
  show(...nodes)
}

function scopeField(entry) {
  const field = element('fieldset', {}, element('legend', {}, entry.scope))
  if (entry.missing) {
    const note = 'You have not linked one, so nothing is shown. You can link one now and come back here.'
    field.append(element('p', { className: 'note' }, note))
    for (const way of entry.link) {
      if (way.start) field.append(button(`Link ${entry.scope}`, '', () => location.assign(way.start)))
      else if (entry.scope === 'EVMAddress')
        for (const wallet of wallets)
          field.append(button(`Link ${wallet.info.name}`, '', () => proveWithWallet(wallet.provider, 'link')))
    }
  }
  for (const identity of entry.identities) {
    const input = element('input', {
      type: 'radio',
      name: entry.scope,
      value: identity.subject,
      checked: identity.subject === entry.picked,
    })
    field.append(element('label', {}, input, ` ${identity.username ?? identity.subject}`))
  }
  return field
}

function refuseButton() {
  return button('Refuse and go back', '', () => decide('deny', {}))
}

async function decide(decision, identities) {
  const { redirect } = await api('POST', `/api/authorizations/${authorizationId}`, { decision, identities })
  location.assign(redirect)
}

start().catch((error) =>
  show(element('h1', {}, 'Sign-in not possible'), element('p', { className: 'fault', role: 'alert' }, error.message)),
)
