import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { createSignIn } from '@questboard/client'
import { type LogoutToken, OAuthError, readIdToken, verifyLogoutToken } from '@questboard/client/logout'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { logoutQueue } from '../../server/src/oauth/back-channel/deliver.ts'
import { createOutgoing, type Outgoing } from '../../server/src/outgoing/outgoing.ts'
import { eraseAccount } from '../../server/src/personal-data/erase-account.ts'
import {
  allow,
  approvedApp,
  signedInBrowser,
  type SignedIn,
  type TestApp,
} from '../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../server/test/support/oauth-service.ts'
import { sendDue } from '../../server/test/support/send-due.ts'
import { close, urlOf } from './examples/listening.ts'

// A real service signs out users of an app, whose server verifies the logout tokens with the client.
const received: { token: string; verified: LogoutToken | undefined; code: string | undefined }[] = []
let receiver: Server
let service: SignInService
let outgoing: Outgoing
let app: TestApp
let other: TestApp
let user: SignedIn
beforeAll(async () => {
  receiver = createServer((request, response) => {
    void (async () => {
      const token = new URLSearchParams(await text(request)).get('logout_token') ?? ''
      const outcome = await verify(token).then(
        (verified) => ({ verified, code: undefined }),
        (error: OAuthError) => ({ verified: undefined, code: error.code }),
      )
      received.push({ token, ...outcome })
      response.writeHead(outcome.code === undefined ? 200 : 400).end()
    })()
  }).listen(0, '127.0.0.1')
  const url = await urlOf(receiver)
  const { host, hostname, port } = new URL(url)
  service = await startListening({ QUESTBOARD_WEBHOOK_HOSTS: host })
  outgoing = createOutgoing({ hosts: [{ hostname, port: Number(port) }] })
  app = await approvedApp(service, { backchannelLogoutUri: `${url}/logout` })
  other = await approvedApp(service)
})
beforeEach(async () => {
  received.length = 0
  user = await signedInBrowser(service)
})
afterAll(async () => {
  await close(receiver)
  await outgoing.close()
  await service.close()
})

const verify = (token: string, clientId = app.clientId) =>
  verifyLogoutToken(token, { issuer: service.issuer, clientId })

async function signInToApp() {
  const signIn = createSignIn({
    baseUrl: service.issuer,
    clientId: app.clientId,
    clientSecret: app.secret,
    redirectUri: app.redirectUri,
    scope: ['openid'],
  })
  const { url, attempt } = await signIn.begin()
  const asked = Object.fromEntries(new URL(url).searchParams)
  return signIn.finish(await allow(user.browser, app, asked), attempt)
}

const sendTokens = () => sendDue(logoutQueue({ ...service.services, outgoing }), service.services)

test('a logout token of the service is valid, and names the user and the session of the id_token', async () => {
  const { subject, sessionId } = readIdToken(await signInToApp())
  expect([subject, sessionId]).toEqual([user.account.id, expect.any(String)])
  await user.browser.call('DELETE', '/api/session')
  expect(await sendTokens()).toBe(1)
  expect(received).toMatchObject([{ code: undefined, verified: { subject, sessionId } }])
  const verified = received[0]?.verified as LogoutToken
  expect(verified.tokenId).toMatch(/^[\w-]{36}$/)
  expect(verified.claims).toMatchObject({ iss: service.issuer, aud: app.clientId, jti: verified.tokenId })
})

test('of a deleted account, it names the session alone', async () => {
  const { sessionId } = readIdToken(await signInToApp())
  await eraseAccount(service.services, user.account.id)
  await sendTokens()
  expect(received).toMatchObject([{ code: undefined, verified: { subject: null, sessionId } }])
})

test('rejects a token that is changed, for another app, or from another issuer', async () => {
  const tokens = await signInToApp()
  await user.browser.call('DELETE', '/api/session')
  await sendTokens()
  const token = received[0]?.token as string
  const [head = '', body = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const written = (changes: object) => Buffer.from(JSON.stringify({ ...claims, ...changes })).toString('base64url')
  const none = Buffer.from('{"alg":"none","typ":"logout+jwt"}').toString('base64url')
  const refusal = { code: 'invalid_logout_token' }
  await expect(verify(`${head}.${written({ jti: 'new' })}.${signature}`)).rejects.toMatchObject(refusal)
  await expect(verify(`${head}.${written({ sid: 'other' })}.${signature}`)).rejects.toMatchObject(refusal)
  await expect(verify(`${none}.${body}.`)).rejects.toMatchObject(refusal)
  await expect(verify(`${none}.${body}.${signature}`)).rejects.toMatchObject(refusal)
  await expect(verify(token, other.clientId)).rejects.toMatchObject(refusal)
  await expect(
    verifyLogoutToken(token, { issuer: 'https://id.example.com', clientId: app.clientId }),
  ).rejects.toMatchObject(refusal)
  await expect(verify(tokens.idToken as string)).rejects.toMatchObject(refusal)
  expect(await verify(token)).toMatchObject({ subject: user.account.id })
})
