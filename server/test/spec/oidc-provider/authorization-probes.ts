import { pkcePair } from '../../support/oauth-flow.ts'
import { authorizationQuery, described, type Fields, formOf, SCOPE, STATE, type Target } from './target.ts'

/** An attack or unusual request. Returns a description of the response. */
export type Probe = (target: Target) => Promise<string>

const asking =
  (fields: Fields | ((target: Target) => Fields), options: { signedOut?: boolean } = {}): Probe =>
  async (target) => {
    const query = authorizationQuery(target, typeof fields === 'function' ? fields(target) : fields)
    return described(await target.authorize(query, options))
  }

/** The ordinary request followed by a text without encoding. */
const appending =
  (text: string): Probe =>
  async (target) =>
    described(await target.authorize(`${authorizationQuery(target)}&${text}`))

const redirectTo = (change: (uri: string) => string) => asking(({ app }) => ({ redirect_uri: change(app.redirectUri) }))

const unsigned = (claims: object) =>
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`

export const authorizationProbes: Record<string, Probe> = {
  'an ordinary request': asking({}),
  'client_id: missing': asking({ client_id: undefined }),
  'client_id: unknown': asking({ client_id: 'nobodyknowsme' }),
  'client_id: twice': appending('client_id=other'),
  'redirect_uri: missing': asking({ redirect_uri: undefined }),
  'redirect_uri: another site': asking({ redirect_uri: 'https://evil.example/callback' }),
  'redirect_uri: of the other app': asking(({ other }) => ({ redirect_uri: other.redirectUri })),
  'redirect_uri: with a slash at the end': redirectTo((uri) => `${uri}/`),
  'redirect_uri: with a query': redirectTo((uri) => `${uri}?x=1`),
  'redirect_uri: with a fragment': redirectTo((uri) => `${uri}#x`),
  'redirect_uri: with dot segments': redirectTo((uri) => `${uri}/../callback`),
  'redirect_uri: host in capitals': redirectTo((uri) => uri.replace('app.example', 'APP.example')),
  'redirect_uri: with the default port': redirectTo((uri) => uri.replace('.com/', '.com:443/')),
  'redirect_uri: with userinfo': redirectTo((uri) => uri.replace('https://', 'https://user@')),
  'redirect_uri: by http': redirectTo((uri) => uri.replace('https:', 'http:')),
  'redirect_uri: twice': appending('redirect_uri=https%3A%2F%2Fevil.example%2F'),
  'state: missing': asking({ state: undefined }),
  'state: empty': asking({ state: '' }),
  'state: twice': appending('state=other'),
  'state: with a NUL': asking({ state: `${STATE}\0` }),
  'scope: missing': asking({ scope: undefined }),
  'scope: unknown': asking({ scope: `${SCOPE} nonsense` }),
  'scope: twice': appending('scope=openid'),
  'response_type: missing': asking({ response_type: undefined }),
  'response_type: token': asking({ response_type: 'token' }),
  'response_type: id_token': asking({ response_type: 'id_token', nonce: 'n' }),
  'response_type: code token': asking({ response_type: 'code token' }),
  'response_type: none': asking({ response_type: 'none' }),
  'response_type: CODE': asking({ response_type: 'CODE' }),
  'response_mode: fragment': asking({ response_mode: 'fragment' }),
  'response_mode: web_message': asking({ response_mode: 'web_message' }),
  'response_mode: jwt': asking({ response_mode: 'jwt' }),
  'prompt: none, signed out': asking({ prompt: 'none' }, { signedOut: true }),
  'prompt: none, signed in and allowed before': async (target) => {
    await asking({})(target)
    return asking({ prompt: 'none' })(target)
  },
  'prompt: none login': asking({ prompt: 'none login' }),
  'prompt: bogus': asking({ prompt: 'always' }),
  'max_age: no number': asking({ max_age: 'soon' }),
  'max_age: negative': asking({ max_age: '-1' }),
  'id_token_hint: garbage': asking({ id_token_hint: 'x.y.z' }),
  'request: unsigned': asking({ request: unsigned({ redirect_uri: 'https://evil.example/' }) }),
  'request_uri: an internal address': asking({ request_uri: 'http://127.0.0.1:9/request.jwt' }),
  'code_challenge: S256': asking(() => ({ code_challenge: pkcePair().challenge, code_challenge_method: 'S256' })),
  'code_challenge: plain': asking(() => ({ code_challenge: pkcePair().verifier, code_challenge_method: 'plain' })),
  'code_challenge: without a method': asking(() => ({ code_challenge: pkcePair().challenge })),
  'code_challenge: method without a challenge': asking({ code_challenge_method: 'S256' }),
  'code_challenge: 42 characters': asking({ code_challenge: 'a'.repeat(42), code_challenge_method: 'S256' }),
  'code_challenge: 129 characters': asking({ code_challenge: 'a'.repeat(129), code_challenge_method: 'S256' }),
  'code_challenge: s256': asking(() => ({ code_challenge: pkcePair().challenge, code_challenge_method: 's256' })),
  'code_challenge: characters that are not allowed': asking({
    code_challenge: 'ä'.repeat(43),
    code_challenge_method: 'S256',
  }),
  'an unknown parameter': appending('utm_source=mail'),
  'a parameter with brackets': appending('resource[]=x'),
  'POST: a form': async (target) => described(await target.authorize('', { form: authorizationQuery(target) })),
  'POST: a parameter in the form and in the URL': async (target) =>
    described(await target.authorize('state=other', { form: authorizationQuery(target) })),
  'POST: half in the URL': async (target) => {
    const form = formOf({ client_id: target.app.clientId, redirect_uri: target.app.redirectUri, state: STATE })
    return described(await target.authorize(`scope=${SCOPE}&response_type=code`, { form }))
  },
}
