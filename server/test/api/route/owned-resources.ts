import { expect } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { DAY } from '../../../src/clock.ts'
import { offerOf } from '../../identity/merging.ts'
import { OWNED_SPACE, type World } from '../../support/fixture.ts'
import { allow, authorizeUrl, CALLBACK, requestIdOf, type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'

export interface OwnedResources {
  /** The `id` of a resource that belongs to the owner, by the path before it. */
  ids: Record<string, string | undefined>
  /** Other parameters of resources that belong to the owner. */
  names: Record<string, string | undefined>
}

/** Makes the account an operator and the owner of a space, and creates a resource of each kind that paths name. */
export async function createOwnedResources(
  world: Pick<World, 'app' | 'clock' | 'database'>,
  owner: SignedIn,
): Promise<OwnedResources> {
  await setOperator(world.database.kysely, owner.account.id, new Date(world.clock.now()))
  await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = $2', [
    owner.account.id,
    OWNED_SPACE,
  ])
  const create = async (path: string, body: object = {}) => {
    const response = await owner.browser.call('POST', path, body)
    expect(response.statusCode, `${path}: ${response.body}`).toBeLessThan(300)
    return response.json<Record<string, string>>()
  }
  const scope = { spaces: [OWNED_SPACE] }
  const sprint = {
    name: 'A sprint',
    startTime: new Date(world.clock.now()).toISOString(),
    endTime: new Date(world.clock.now() + DAY).toISOString(),
  }
  const form = { name: 'An app', purpose: 'Tests', redirectUris: [CALLBACK], scopes: ['EVMAddress'], s256Only: false }
  const { clientId = '', revision } = await create('/api/apps', form)
  await create(`/api/operator/apps/${clientId}/approve`, { revision })
  const { secretId } = await create(`/api/apps/${clientId}/secrets`)
  const app = { clientId, secret: '', redirectUri: CALLBACK }
  const started = await owner.browser.get(authorizeUrl(app))
  await allow(owner.browser, app)
  const hook = { url: 'https://8.8.8.8/questboard', events: ['points.awarded'], spaceIds: [OWNED_SPACE] }
  const { id: webhook } = await create('/api/webhooks', hook)
  const { id: delivery } = await create(`/api/webhooks/${webhook}/test`)
  const { sprintId } = await create(`/api/spaces/${OWNED_SPACE}/sprints`, sprint)
  const challenge = { kind: 'EVMAddress', purpose: 'sign-in', address: owner.account.wallet.address }
  const other = await signedInBrowser(world.app)
  const [session] = (await owner.browser.get('/api/sessions')).json<{ sessions: { sessionId: string }[] }>().sessions
  const ids = {
    '/api/apps': clientId,
    '/api/authorizations': requestIdOf(started),
    '/api/challenges': (await create('/api/challenges', challenge)).id,
    '/api/credentials': '500',
    '/api/explore/spaces': String(OWNED_SPACE),
    '/api/ingest-tokens': (await create('/api/ingest-tokens', { name: 'of the owner', ...scope })).tokenId,
    '/api/merges': (await offerOf(owner.browser, other.account.wallet)).id,
    '/api/my/points': String(OWNED_SPACE),
    '/api/quests': 'GCprivate1',
    '/api/sessions': session?.sessionId,
    '/api/spaces': String(OWNED_SPACE),
    '/api/starboards': '1',
    '/api/tokens': (await create('/api/tokens', { name: 'of the owner' })).tokenId,
    '/api/webhooks': webhook,
  }
  const names = { clientId, delivery, kind: 'spaces', secretId, sprintId: sprintId && String(sprintId) }
  const missing = Object.entries({ ...ids, ...names }).flatMap(([name, value]) => (value ? [] : [name]))
  expect(missing).toEqual([])
  return { ids, names }
}
