import { pkcePair } from '../../support/oauth-flow.ts'
import type { Probe } from './authorization-probes.ts'
import {
  answerOf,
  basicOf,
  codeFrom,
  credentials,
  type Fields,
  formOf,
  post,
  redeem,
  refresh,
  type Target,
  tokensFrom,
  userInfo,
} from './target.ts'

const s256 = () => {
  const { verifier, challenge } = pkcePair()
  return { verifier, request: { code_challenge: challenge, code_challenge_method: 'S256' } }
}

/** A redemption with changed fields. */
const redeeming =
  (fields: Fields): Probe =>
  async (target) =>
    (await redeem(target, await codeFrom(target), fields)).text

/** Runs steps in order and joins their outcomes. */
const then = async (...steps: (() => Promise<string>)[]) => {
  const outcomes: string[] = []
  for (const step of steps) outcomes.push(await step())
  return outcomes.join(', then ')
}

const raw =
  (make: (target: Target, code: string) => { body: string | Uint8Array; type: string }): Probe =>
  async (target) => {
    const { body, type } = make(target, await codeFrom(target))
    const init = { method: 'POST', headers: { 'content-type': type }, body: body as string }
    return (await answerOf(await target.request(target.paths.token, init))).text
  }

const FORM = 'application/x-www-form-urlencoded'
const fieldsOf = (target: Target, code: string) => ({
  ...credentials(target.app),
  grant_type: 'authorization_code',
  code,
  redirect_uri: target.app.redirectUri,
})

export const tokenProbes: Record<string, Probe> = {
  'an ordinary redemption': redeeming({}),
  'grant_type: missing': redeeming({ grant_type: undefined }),
  'grant_type: unknown': redeeming({ grant_type: 'password' }),
  'grant_type: client_credentials': redeeming({ grant_type: 'client_credentials' }),
  'code: missing': redeeming({ code: undefined }),
  'code: unknown': redeeming({ code: 'qbc_0000000000000000000000000000000000000000000000000' }),
  'code: twice, one after the other': async (target) => {
    const code = await codeFrom(target)
    const { body } = await redeem(target, code)
    return then(
      async () => (await redeem(target, code)).text,
      () => userInfo(target, body.access_token),
      async () => (await refresh(target, body.refresh_token)).text,
    )
  },
  'code: of the other app': async (target) => {
    const code = await codeFrom(target)
    const fields = { grant_type: 'authorization_code', code, redirect_uri: target.app.redirectUri }
    return then(
      async () => (await post(target, target.paths.token, fields, basicOf(target.other))).text,
      async () => (await redeem(target, code)).text,
    )
  },
  'code: as an access token': async (target) => userInfo(target, await codeFrom(target)),
  'code: as a refresh token': async (target) => (await refresh(target, await codeFrom(target))).text,
  'redirect_uri: missing': redeeming({ redirect_uri: undefined }),
  'redirect_uri: another one': redeeming({ redirect_uri: 'https://app.example.com/other' }),
  'redirect_uri: another one, then the right one': async (target) => {
    const code = await codeFrom(target)
    return then(
      async () => (await redeem(target, code, { redirect_uri: 'https://app.example.com/other' })).text,
      async () => (await redeem(target, code)).text,
    )
  },
  'code_verifier: right': async (target) => {
    const { verifier, request } = s256()
    return (await redeem(target, await codeFrom(target, request), { code_verifier: verifier })).text
  },
  'code_verifier: missing': async (target) => (await redeem(target, await codeFrom(target, s256().request))).text,
  'code_verifier: wrong': async (target) =>
    (await redeem(target, await codeFrom(target, s256().request), { code_verifier: pkcePair().verifier })).text,
  'code_verifier: wrong, then right': async (target) => {
    const { verifier, request } = s256()
    const code = await codeFrom(target, request)
    return then(
      async () => (await redeem(target, code, { code_verifier: pkcePair().verifier })).text,
      async () => (await redeem(target, code, { code_verifier: verifier })).text,
    )
  },
  'code_verifier: the challenge itself': async (target) => {
    const { request } = s256()
    return (await redeem(target, await codeFrom(target, request), { code_verifier: request.code_challenge })).text
  },
  'code_verifier: though there was no challenge': redeeming({ code_verifier: 'v'.repeat(43) }),
  'code_verifier: 42 characters': redeeming({ code_verifier: 'v'.repeat(42) }),
  'client_secret: wrong': redeeming({ client_secret: 'wrong' }),
  'client_secret: missing': redeeming({ client_secret: undefined }),
  'client_secret: a verifier in its place': async (target) => {
    const { verifier, request } = s256()
    const fields = { client_secret: undefined, code_verifier: verifier }
    return (await redeem(target, await codeFrom(target, request), fields)).text
  },
  'client_id: unknown': redeeming({ client_id: 'nobodyknowsme' }),
  'client_id: missing': redeeming({ client_id: undefined }),
  'client authentication: by Basic': async (target) => {
    const query = formOf({
      client_id: target.other.clientId,
      redirect_uri: target.other.redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 's',
    })
    const arrival = await target.authorize(query)
    const code = arrival.at === 'app' ? (arrival.url.searchParams.get('code') ?? '') : ''
    const fields = { grant_type: 'authorization_code', code, redirect_uri: target.other.redirectUri }
    return (await post(target, target.paths.token, fields, basicOf(target.other))).text
  },
  'client authentication: header and body at once': async (target) => {
    const fields = fieldsOf(target, await codeFrom(target))
    return (await post(target, target.paths.token, fields, basicOf(target.app))).text
  },
  'client authentication: broken Basic': async (target) => {
    const fields = { grant_type: 'authorization_code', code: await codeFrom(target) }
    return (await post(target, target.paths.token, fields, { authorization: 'Basic !!!' })).text
  },
  'client authentication: in the URL': async (target) => {
    const { client_id, client_secret, ...fields } = fieldsOf(target, await codeFrom(target))
    const path = `${target.paths.token}?${formOf({ client_id, client_secret })}`
    return (await post(target, path, fields)).text
  },
  GET: async (target) => {
    const path = `${target.paths.token}?${formOf(fieldsOf(target, await codeFrom(target)))}`
    const response = await target.request(path, {})
    return response.ok ? 'answered' : 'refused'
  },
  'body: a parameter twice': async (target) => {
    const code = await codeFrom(target)
    return (await post(target, target.paths.token, `${formOf(fieldsOf(target, code))}&code=${code}`)).text
  },
  'body: JSON': raw((target, code) => ({ body: JSON.stringify(fieldsOf(target, code)), type: 'application/json' })),
  'body: text': raw((target, code) => ({ body: formOf(fieldsOf(target, code)), type: 'text/plain' })),
  'body: bad percent-encoding': raw((target, code) => ({
    body: `${formOf(fieldsOf(target, code))}&x=%zz`,
    type: FORM,
  })),
  'body: brackets': raw((target, code) => ({ body: `${formOf(fieldsOf(target, code))}&scope[]=openid`, type: FORM })),
  'body: a member called __proto__': raw((target, code) => ({
    body: `${formOf(fieldsOf(target, code))}&__proto__=1`,
    type: FORM,
  })),
  'body: empty': raw(() => ({ body: '', type: FORM })),
  'refresh: ordinary': async (target) => (await refresh(target, (await tokensFrom(target)).refresh_token)).text,
  'refresh: the old access token': async (target) => {
    const { access_token, refresh_token } = await tokensFrom(target)
    await refresh(target, refresh_token)
    return userInfo(target, access_token)
  },
  'refresh: twice': async (target) => {
    const { refresh_token } = await tokensFrom(target)
    const { body } = await refresh(target, refresh_token)
    return then(
      async () => (await refresh(target, refresh_token)).text,
      () => userInfo(target, body.access_token),
      async () => (await refresh(target, body.refresh_token)).text,
    )
  },
  'refresh: by the other app': async (target) => {
    const { refresh_token } = await tokensFrom(target)
    const fields = { grant_type: 'refresh_token', refresh_token }
    return then(
      async () => (await post(target, target.paths.token, fields, basicOf(target.other))).text,
      async () => (await refresh(target, refresh_token)).text,
    )
  },
  'refresh: without the secret': async (target) =>
    (await refresh(target, (await tokensFrom(target)).refresh_token, { client_secret: undefined })).text,
  'refresh: more scopes': async (target) => {
    const { refresh_token } = await tokensFrom(target)
    return then(
      async () => (await refresh(target, refresh_token, { scope: 'openid offline_access EVMAddress' })).text,
      async () => (await refresh(target, refresh_token)).text,
    )
  },
  'refresh: with an access token': async (target) =>
    (await refresh(target, (await tokensFrom(target)).access_token)).text,
}

const introspect = (target: Target, token: unknown, authorization: Record<string, string> | undefined) =>
  post(
    target,
    target.paths.introspect,
    { token: String(token), ...(authorization === undefined && credentials(target.app)) },
    authorization,
  )

const revoke = async (target: Target, token: unknown, authorization?: Record<string, string>, fields: Fields = {}) =>
  (
    await post(
      target,
      target.paths.revoke,
      { token: String(token), ...(authorization === undefined && credentials(target.app)), ...fields },
      authorization,
    )
  ).text.split(' ')[0] as string

export const resourceProbes: Record<string, Probe> = {
  'userinfo: by header': async (target) => userInfo(target, (await tokensFrom(target)).access_token),
  'userinfo: without a token': async (target) => (await answerOf(await target.request(target.paths.userInfo, {}))).text,
  'userinfo: by form': async (target) =>
    (await post(target, target.paths.userInfo, { access_token: (await tokensFrom(target)).access_token })).text,
  'userinfo: in the URL': async (target) => {
    const { access_token } = await tokensFrom(target)
    return (await answerOf(await target.request(`${target.paths.userInfo}?access_token=${access_token}`, {}))).text
  },
  'userinfo: header and form': async (target) => {
    const { access_token } = await tokensFrom(target)
    const headers = { authorization: `Bearer ${access_token}` }
    return (await post(target, target.paths.userInfo, { access_token }, headers)).text
  },
  'userinfo: a token that is cut': async (target) =>
    userInfo(target, (await tokensFrom(target)).access_token?.slice(0, -1)),
  'userinfo: a refresh token': async (target) => userInfo(target, (await tokensFrom(target)).refresh_token),
  'userinfo: an id_token': async (target) => userInfo(target, (await tokensFrom(target)).id_token),
  'introspection: own token': async (target) =>
    (await introspect(target, (await tokensFrom(target)).access_token, undefined)).text,
  'introspection: own refresh token': async (target) =>
    (await introspect(target, (await tokensFrom(target)).refresh_token, undefined)).text,
  'introspection: a foreign token': async (target) =>
    (await introspect(target, (await tokensFrom(target)).access_token, basicOf(target.other))).text,
  'introspection: nonsense': async (target) => (await introspect(target, 'nonsense', undefined)).text,
  'introspection: without authentication': async (target) =>
    (await post(target, target.paths.introspect, { token: (await tokensFrom(target)).access_token })).text,
  'revocation: an access token ends alone': async (target) => {
    const { access_token, refresh_token } = await tokensFrom(target)
    return then(
      () => revoke(target, access_token),
      () => userInfo(target, access_token),
      async () => (await refresh(target, refresh_token)).text,
    )
  },
  'revocation: a refresh token ends the grant': async (target) => {
    const { access_token, refresh_token } = await tokensFrom(target)
    return then(
      () => revoke(target, refresh_token),
      () => userInfo(target, access_token),
      async () => (await refresh(target, refresh_token)).text,
    )
  },
  'revocation: a foreign token': async (target) => {
    const { access_token } = await tokensFrom(target)
    return then(
      () => revoke(target, access_token, basicOf(target.other)),
      () => userInfo(target, access_token),
    )
  },
  'revocation: with a wrong hint': async (target) => {
    const { access_token } = await tokensFrom(target)
    return then(
      () => revoke(target, access_token, undefined, { token_type_hint: 'refresh_token' }),
      () => userInfo(target, access_token),
    )
  },
  'revocation: nonsense': (target) => revoke(target, 'nonsense'),
}
