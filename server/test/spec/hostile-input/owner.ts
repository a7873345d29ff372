import { createServices } from '../../../src/services.ts'
import { importJob } from '../../../src/ingest-uploads/job.ts'
import { snapshotJob } from '../../../src/snapshots/job.ts'
import { createOwnedResources } from '../../api/route/owned-resources.ts'
import { ALICE_MAIN, HOLDER_OF_BOTH, OWNED_SPACE, type World } from '../../support/fixture.ts'
import { signedInBrowser, type TestApp, tokensFor } from '../../support/oauth-flow.ts'
import type { SignInService } from '../../support/oauth-service.ts'
import type { Owner } from './described-requests.ts'
import type { Target } from './inputs.ts'
import { plausibleValues, quest, QUIZ, sources, VISIT } from './plausible-values.ts'

/** An operator who owns a resource of each kind, so that requests pass the checks of rights. */
export async function createOwner(
  world: World,
  app: TestApp,
  { reader, writer }: Pick<Target, 'reader' | 'writer'>,
): Promise<Owner> {
  const { fastify } = world.app
  const owner = await signedInBrowser(world.app)
  const { browser } = owner
  const { ids, names } = await createOwnedResources(world, owner)
  const other = await signedInBrowser(world.app)
  const service = { fastify, database: world.database, services: createServices(world.deps) } as SignInService
  const { access_token: accessToken } = await tokensFor(service, browser, app, {
    scope: 'openid EVMAddress quests:claim',
  })
  const make = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const response = await browser.call(method, path, body)
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.body}`)
    return response.json<{ id?: string; code?: string }>()
  }
  const space = `/api/spaces/${OWNED_SPACE}`
  await make('POST', '/api/operator/plans', { plan: 'malformed', perSecond: 1, perDay: 1, open: false })
  await make('PUT', `/api/explore/spaces/${OWNED_SPACE}/page`, { slug: 'harbour' })
  await make('PUT', '/api/starboards/1/page', {})
  for (const [credential, source] of [
    [QUIZ, sources.quiz],
    [VISIT, sources.visit],
  ] as const) {
    await make('POST', '/api/credentials', { ...credential, curatorSpaceId: OWNED_SPACE })
    await make('PUT', `/api/credentials/${credential.id}/source`, { source, version: null })
  }
  await make('POST', '/api/quests', { ...quest, spaceId: OWNED_SPACE })
  await make('POST', `${space}/awards`, { address: ALICE_MAIN, points: 5, reason: 'test' })
  const { id: snapshot } = await make('POST', `${space}/snapshots`, { public: true })
  const { id: ban } = await make('POST', '/api/operator/bans', { address: HOLDER_OF_BOTH, reason: 'test' })
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const session = { cookie, 'x-csrf-token': await browser.csrfToken() }
  const uploaded = await fetch(`${world.url}/api/operator/imports/uploads?fileName=points.csv`, {
    method: 'POST',
    headers: session,
    body: `spaceId,address,points\n${OWNED_SPACE},${ALICE_MAIN},5\n`,
  })
  const { id: upload } = (await uploaded.json()) as { id: string }
  for (const job of [snapshotJob(world.deps), importJob(world.deps)]) {
    const now = world.clock.now()
    await job.run({ now, agreedNow: async () => now, signal: AbortSignal.timeout(30_000) })
    await job.stop?.()
  }
  const bearer = { authorization: `Bearer ${accessToken}` }
  return {
    credentials: {
      '': session,
      session,
      client: { authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}` },
      accessToken: bearer,
      accessTokenHeader: { 'access-token': accessToken },
      ingestToken: { authorization: `Bearer ${writer}` },
      serverToken: { 'access-token': reader },
    },
    ids: {
      ...ids,
      '/api/operator/apps': ids['/api/apps'],
      '/api/operator/tokens': ids['/api/tokens'],
      '/api/operator/people': other.account.id,
      '/api/operator/bans': ban,
      '/api/operator/imports': upload,
      '/api/operator/syncs': QUIZ.id,
      '/snapshots': snapshot,
      '/spaces': String(OWNED_SPACE),
      '/sprints': `${OWNED_SPACE}-${names['sprintId']}`,
      '/api/quests': quest.id,
      '/quests': quest.id,
      '/q': quest.id,
      '/starboards': '1',
      '/b': '1',
      '/credentials': '500',
    },
    plausible: {
      ...Object.fromEntries(Object.entries(names).map(([name, value]) => [name, [value]])),
      ...plausibleValues,
      account: [other.account.id, other.account.username],
      username: [other.account.username, 'someone'],
      snapshot: [snapshot],
      after: [snapshot, ban, quest.id, '500', '1-1', '3'],
      before: [snapshot, '1', '2026-11-21T12:00:00.000Z'],
      client_id: [app.clientId],
      redirect_uri: [app.redirectUri],
      subject: [owner.account.wallet.address],
    },
  }
}
