import { inJavaScript, type Integration, userPath } from './integration.ts'

/** A page that signs users in. It uses no package. The attempt is in the storage of the tab until the callback. */
export const pageInHtml = ({ issuer, clientId, redirectUri, scopes }: Integration): string => `<!doctype html>
<meta charset="utf-8" />
<title>Sign in</title>
<button>Sign in</button>
<output></output>
<script type="module">
  const issuer = ${inJavaScript(issuer)}
  const client_id = ${inJavaScript(clientId)}
  const redirect_uri = ${inJavaScript(redirectUri)}
  const scope = ${inJavaScript(scopes.join(' '))}

  const base64Url = (bytes) =>
    btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const random = () => base64Url(crypto.getRandomValues(new Uint8Array(32)))

  async function begin() {
    const state = random()
    const code_verifier = random()
    sessionStorage.setItem('attempt', JSON.stringify({ state, code_verifier }))
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code_verifier))
    const code_challenge = base64Url(new Uint8Array(digest))
    const parameters = { client_id, redirect_uri, scope, state, code_challenge, code_challenge_method: 'S256' }
    location.assign(issuer + '/oauth?' + new URLSearchParams({ response_type: 'code', ...parameters }))
  }

  async function finish(callback) {
    const { state, code_verifier } = JSON.parse(sessionStorage.getItem('attempt') ?? '{}')
    sessionStorage.removeItem('attempt')
    history.replaceState(null, '', location.pathname)
    if (!state || callback.get('state') !== state || callback.get('iss') !== issuer)
      throw new Error('This response does not belong to a sign-in of this tab. Sign in again.')
    if (callback.has('error')) throw new Error(callback.get('error'))
    const form = { grant_type: 'authorization_code', client_id, redirect_uri, code: callback.get('code'), code_verifier }
    const tokens = await fetch(issuer + '/oauth/auth/2/token', { method: 'POST', body: new URLSearchParams(form) })
    const { access_token, error } = await tokens.json()
    if (error) throw new Error(error)
    const user = await fetch(issuer + '${userPath({ scopes })}', { headers: { authorization: 'Bearer ' + access_token } })
    return user.text()
  }

  const show = (text) => (document.querySelector('output').textContent = text)
  const callback = new URLSearchParams(location.search)
  document.querySelector('button').onclick = begin
  if (callback.has('state')) finish(callback).then(show, (error) => show('Sign-in failed: ' + error.message))
</script>`
