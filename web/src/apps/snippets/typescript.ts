import { cookieAttributes, inJavaScript, type Integration, portOf, userPath } from './integration.ts'

const settings = ({ issuer, clientId, redirectUri, scopes, publicClient }: Integration) => `createSignIn({
  baseUrl: ${inJavaScript(issuer)},
  clientId: ${inJavaScript(clientId)},${publicClient ? '' : "\n  clientSecret: process.env.QUESTBOARD_CLIENT_SECRET ?? '',"}
  redirectUri: ${inJavaScript(redirectUri)},
  scope: [${scopes.map(inJavaScript).join(', ')}],
})`

/** The client reads no account ID. */
const readUser = ({ issuer, scopes }: Integration) =>
  scopes.includes('openid')
    ? `await (await fetch(${inJavaScript(issuer + userPath({ scopes }))}, { headers: { authorization: \`Bearer \${tokens.accessToken}\` } })).json()`
    : 'await signIn.userData(tokens.accessToken)'

/** A server that signs users in. The attempt is in a cookie until the callback. */
export const serverInTypeScript = (app: Integration): string => `import { createServer } from 'node:http'
import { type Attempt, createSignIn, OAuthError } from '@questboard/client'

const signIn = ${settings(app)}
const callback = new URL(${inJavaScript(app.redirectUri)})

createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', callback)
  if (url.pathname === callback.pathname && url.searchParams.has('state')) {
    const cookie = /(?:^|; )attempt=([^;]*)/.exec(request.headers.cookie ?? '')?.[1] ?? 'null'
    try {
      const attempt = JSON.parse(decodeURIComponent(cookie)) as Attempt | null
      const tokens = await signIn.finish(url, attempt)
      const user = ${readUser(app)}
      // Add your code here: store the tokens and start a session.
      response.setHeader('set-cookie', 'attempt=; Path=/; Max-Age=0').end(JSON.stringify(user))
    } catch (error) {
      response.writeHead(400).end(error instanceof OAuthError ? error.code : 'invalid cookie')
    }
  } else if (url.pathname === '/sign-in') {
    const { url: location, attempt } = await signIn.begin()
    const cookie = \`attempt=\${encodeURIComponent(JSON.stringify(attempt))}; ${cookieAttributes(app.redirectUri)}\`
    response.writeHead(302, { location, 'set-cookie': cookie }).end()
  } else {
    response.setHeader('content-type', 'text/html').end('<a href="/sign-in">Sign in</a>')
  }
}).listen(${portOf(app.redirectUri)})`

/** A page that signs users in. The attempt is in the storage of the tab until the callback. */
export const pageInTypeScript = (app: Integration): string => `import { createSignIn } from '@questboard/client'

const signIn = ${settings(app)}

async function begin() {
  const { url, attempt } = await signIn.begin()
  sessionStorage.setItem('attempt', JSON.stringify(attempt))
  location.assign(url)
}

if (new URLSearchParams(location.search).has('state')) {
  const attempt = JSON.parse(sessionStorage.getItem('attempt') ?? 'null')
  const callback = location.href
  sessionStorage.removeItem('attempt')
  history.replaceState(null, '', location.pathname)
  const tokens = await signIn.finish(callback, attempt)
  document.body.append(JSON.stringify(${readUser(app)}))
} else {
  const button = document.body.appendChild(document.createElement('button'))
  button.textContent = 'Sign in'
  button.onclick = begin
}`
