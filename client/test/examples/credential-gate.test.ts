import type { Server } from 'node:http'
import { createQuestboard } from '@questboard/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../../examples/credential-gate/app.ts'
import { importRecords } from '../../../server/src/ingest/import-records.ts'
import type { Browser } from '../../../server/test/support/oauth-browser.ts'
import { approvedApp, signedInBrowser, type TestApp } from '../../../server/test/support/oauth-flow.ts'
import { type SignInService, startListening } from '../../../server/test/support/oauth-service.ts'
import { type ClientService, CREDENTIAL, startCommunity } from '../arrange.ts'
import { close, decide, signInOf, urlOf, type Visitor, visitor } from './listening.ts'

let community: ClientService
let service: SignInService
let app: TestApp
const servers: Server[] = []
beforeAll(async () => {
  community = await startCommunity()
  service = await startListening()
  app = await approvedApp(service)
})
afterAll(async () => {
  await Promise.all(servers.map(close))
  await service.close()
  await community.stop()
})

/** A visitor of the app with this credential at its gate. */
async function visitorOf(credentialId: string): Promise<Visitor> {
  const questboard = createQuestboard({ baseUrl: community.url, accessToken: community.personas.business })
  const gate = createApp({ questboard, signIn: signInOf(service, app), credentialId }, { secure: false })
  const server = gate.listen(0, '127.0.0.1')
  servers.push(server)
  return visitor(await urlOf(server))
}

async function signIn({ send }: Visitor, browser: Browser): Promise<void> {
  const { location } = await send('/sign-in')
  await send(await decide(browser, location))
}

test('sends visitors to the sign-in, except on public pages', async () => {
  const { send } = await visitorOf(CREDENTIAL)
  expect((await send('/')).text).toBe('For everybody. Members: /members')
  expect(await send('/members')).toMatchObject({ status: 302, location: '/sign-in' })
})

test('admits a holder and no other user', async () => {
  const holder = await signedInBrowser(service)
  const address = holder.account.wallet.address
  await importRecords(community.deps, 'holders', [{ credentialId: CREDENTIAL, address }])
  const member = await visitorOf(CREDENTIAL)
  await signIn(member, holder.browser)
  expect(await member.send('/members')).toMatchObject({ status: 200, text: 'Welcome, member.' })

  const stranger = await visitorOf(CREDENTIAL)
  await signIn(stranger, (await signedInBrowser(service)).browser)
  expect(await stranger.send('/members')).toMatchObject({ status: 403, text: 'This page is for members.' })
})

test('denies access and explains why if eligibility is not reliable', async () => {
  const visit = await visitorOf('2')
  await signIn(visit, (await signedInBrowser(service)).browser)
  expect(await visit.send('/members')).toMatchObject({
    status: 503,
    text: 'Please come back later. The list of holders may be stale; its status is SYNCING.',
  })
})
