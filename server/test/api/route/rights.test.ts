import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { OWNED_SPACE, startWorld, type World } from '../../support/fixture.ts'
import { authorizeUrl, CALLBACK, requestIdOf, type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'

interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: object
  responses: Record<string, object>
}

interface Route {
  /** Such as `PUT /api/spaces/{id}/owner`. */
  name: string
  method: string
  path: string
  operation: Operation
}

/** Routes that all accounts may call. Their paths name nothing that needs a right. */
const openRoutes = [
  'GET /api/credentials/{id}/list',
  'GET /api/explore/spaces/{id}/page',
  'GET /api/explore/spaces/{id}/ranks',
  'GET /api/explore/spaces/{id}/sprints',
  'GET /api/explore/{kind}',
  'GET /api/my/points/{id}',
  'GET /api/starboards/{id}/page',
  // A proof uses up its challenge, so the body is read before the challenge.
  'POST /api/challenges/{id}/proof',
]

/** No route accepts NUL in a body or in a parameter of the query. */
const invalidBody = { nonsense: '\0' }
const queryOf = ({ parameters = [] }: Operation) =>
  parameters.flatMap(({ name, in: place }) => (place === 'query' ? [`${name}=%00`] : [])).join('&')

let world: World
let owner: SignedIn
let outsider: SignedIn
let routes: Route[]
/** The `id` of a resource that belongs to the owner, by the path before it. */
let ids: Record<string, string>

beforeAll(async () => {
  world = await startWorld()
  owner = await signedInBrowser(world.app)
  outsider = await signedInBrowser(world.app)
  const { kysely } = world.database
  await setOperator(kysely, owner.account.id, new Date(world.clock.now()))
  await world.database.query('UPDATE spaces SET owner_account_id = $1 WHERE space_id = $2', [
    owner.account.id,
    OWNED_SPACE,
  ])
  const create = async (path: string, body: object) =>
    (await owner.browser.call('POST', path, body)).json<Record<string, string>>()
  const scope = { spaces: [OWNED_SPACE] }
  const form = { name: 'An app', purpose: 'Tests', redirectUris: [CALLBACK], scopes: ['EVMAddress'], s256Only: false }
  const { clientId = '', revision } = await create('/api/apps', form)
  await create(`/api/operator/apps/${clientId}/approve`, { revision })
  const hook = { url: 'https://8.8.8.8/questboard', events: ['points.awarded'], spaceIds: [OWNED_SPACE] }
  const started = await owner.browser.get(authorizeUrl({ clientId, secret: '', redirectUri: CALLBACK }))
  const challenge = { kind: 'EVMAddress', purpose: 'sign-in', address: owner.account.wallet.address }
  ids = {
    '/api/apps': clientId,
    '/api/authorizations': requestIdOf(started),
    '/api/challenges': (await create('/api/challenges', challenge)).id ?? '',
    '/api/credentials': '500',
    '/api/explore/spaces': String(OWNED_SPACE),
    '/api/ingest-tokens': (await create('/api/ingest-tokens', { name: 'of the owner', ...scope })).tokenId ?? '',
    '/api/my/points': String(OWNED_SPACE),
    '/api/quests': 'GCprivate1',
    '/api/spaces': String(OWNED_SPACE),
    '/api/starboards': '1',
    '/api/tokens': (await create('/api/tokens', { name: 'of the owner' })).tokenId ?? '',
    '/api/webhooks': (await create('/api/webhooks', hook)).id ?? '',
  }
  const { paths } = (await owner.browser.get('/api/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>
  }>()
  routes = Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith('/api/') && path.includes('{')
      ? Object.entries(methods).map(([method, operation]) => {
          const upper = method.toUpperCase()
          return { name: `${upper} ${path}`, method: upper, path, operation }
        })
      : [],
  )
})
afterAll(() => world.stop())

/** Values of other parameters that routes can read. Their resources do not exist. */
const others: Record<string, string> = { decision: 'approve', kind: 'spaces', plan: 'gold', sprintId: '1' }
const UNKNOWN = '00000000-0000-4000-8000-0000000000ff'

async function send({ browser }: SignedIn, { method, path, operation }: Route) {
  const [collection = ''] = path.split('/{')
  const at = path
    .replace('{id}', ids[collection] ?? UNKNOWN)
    .replace(/\{(\w+)\}/g, (_all, name: string) => others[name] ?? UNKNOWN)
  const url = `${at}?${queryOf(operation)}`
  const response = method === 'GET' ? await browser.get(url) : await browser.call(method as 'POST', url, invalidBody)
  return { status: response.statusCode, code: codeOf(response.body) }
}

const codeOf = (body: string) =>
  body.startsWith('{') ? (JSON.parse(body) as { error?: { code: string } }).error?.code : undefined

test('routes refuse an account without the right before they read query and body', async () => {
  const refusing: string[] = []
  const undocumented: string[] = []
  for (const route of routes) {
    const { status } = await send(outsider, route)
    if (status === 403 || status === 404) refusing.push(route.name)
    if (!(status in route.operation.responses)) undocumented.push(`${route.name}: ${status}`)
  }
  const protectedRoutes = routes.map(({ name }) => name).filter((name) => !openRoutes.includes(name))
  expect(refusing.toSorted()).toEqual(protectedRoutes.toSorted())
  expect(undocumented).toEqual([])
})

test('routes name the invalid field to an account with the right', async () => {
  const answers: Record<string, string | undefined> = {}
  const withBody = routes.filter(({ operation }) => operation.requestBody)
  for (const route of withBody) answers[route.name] = (await send(owner, route)).code
  expect(answers).toEqual(Object.fromEntries(withBody.map(({ name }) => [name, 'invalid_argument'])))
})
