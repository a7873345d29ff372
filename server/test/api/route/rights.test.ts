import { afterAll, beforeAll, expect, test } from 'vitest'
import { setOperator } from '../../../src/accounts/account.queries.ts'
import { DAY } from '../../../src/clock.ts'
import { offerOf } from '../../identity/merging.ts'
import { OWNED_SPACE, startWorld, type World } from '../../support/fixture.ts'
import { allow, authorizeUrl, CALLBACK, requestIdOf, type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'

interface Operation {
  parameters?: { name: string; in: string }[]
  requestBody?: object
  responses: Record<string, { description: string }>
}

interface Route {
  /** Such as `PUT /api/spaces/{id}/owner`. */
  name: string
  method: string
  path: string
  operation: Operation
}

/** Routes that all accounts may call. Their paths name nothing that needs a right, or the ID itself is secret. */
const openRoutes = [
  'GET /api/avatars/{username}',
  'GET /api/credentials/{id}/list',
  'GET /api/explore/spaces/{id}/page',
  'GET /api/explore/spaces/{id}/ranks',
  'GET /api/explore/spaces/{id}/sprints',
  'GET /api/explore/{kind}',
  'GET /api/my/points/{id}',
  'GET /api/snapshots/{id}',
  'GET /api/snapshots/{id}/proof/{address}',
  'GET /api/snapshots/{id}/statement/{address}',
  'GET /api/starboards/{id}/page',
  // A proof uses up its challenge, so the body is read before the challenge.
  'POST /api/challenges/{id}/proof',
]

/** Routes for an object that the owner does not have, such as the logo of the space. */
const absent = [
  'GET /api/apps/{id}/proposed-logo',
  'GET /api/quests/{id}/quizzes/{credentialId}',
  'GET /api/spaces/{id}/logo',
  'GET /api/spaces/{id}/snapshots/{snapshot}/members/{address}',
  // An unknown value of `after` is an unknown snapshot.
  'GET /api/spaces/{id}/snapshots',
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
let ids: Record<string, string | undefined>
/** Other parameters of resources that belong to the owner. */
let names: Record<string, string | undefined>

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
  ids = {
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
  names = { clientId, delivery, kind: 'spaces', secretId, sprintId: sprintId && String(sprintId) }
  const missing = Object.entries({ ...ids, ...names }).flatMap(([name, value]) => (value ? [] : [name]))
  expect(missing).toEqual([])
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

/** Values that operators can send. Accounts without the right cannot learn whether they exist. */
const readable: Record<string, string> = { decision: 'approve', plan: 'gold' }
const UNKNOWN = '00000000-0000-4000-8000-0000000000ff'

/** The value of each parameter of a path, if a resource of the owner has it. */
const valuesOf = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(({ 0: place, 1: name = '', index }) => ({
    place,
    name,
    value: name === 'id' ? ids[path.slice(0, index - 1)] : names[name],
  }))

async function send({ browser }: SignedIn, { method, path, operation }: Route) {
  let at = path
  for (const { place, name, value } of valuesOf(path)) at = at.replace(place, value ?? readable[name] ?? UNKNOWN)
  const url = `${at}?${queryOf(operation)}`
  const response = method === 'GET' ? await browser.get(url) : await browser.call(method as 'POST', url, invalidBody)
  return { status: response.statusCode, code: codeOf(response.body) }
}

const codeOf = (body: string) =>
  body.startsWith('{') ? (JSON.parse(body) as { error?: { code: string } }).error?.code : undefined

/** The reasons of 403 that the document names, without those that do not name a right. */
const rightsOf = ({ responses }: Operation) =>
  (responses['403']?.description ?? '')
    .split(/^Not allowed: |, or |\.$/)
    .filter((reason) => reason !== '' && !/^the (CSRF token|sign-in) /.test(reason))

test('routes refuse an account without the right before they read query and body', async () => {
  const refusing: string[] = []
  const undocumented: string[] = []
  for (const route of routes) {
    const { status } = await send(outsider, route)
    // 404 for a resource that does not exist proves no check of a right.
    const exists = valuesOf(route.path).every(({ value }) => value !== undefined)
    if (status === 403 || (status === 404 && exists)) refusing.push(route.name)
    if (!(status in route.operation.responses)) undocumented.push(`${route.name}: ${status}`)
    if (status === 403 && rightsOf(route.operation).length === 0) undocumented.push(`${route.name}: the missing right`)
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

test('routes show a resource, or name the invalid parameter, to an account with the right', async () => {
  const answers: Record<string, string | number> = {}
  const reading = routes.filter(
    ({ name, method, path }) =>
      method === 'GET' && (absent.includes(name) || valuesOf(path).every(({ value }) => value !== undefined)),
  )
  for (const route of reading) {
    const { status, code } = await send(owner, route)
    answers[route.name] = code ?? status
  }
  const expected = ({ name, operation }: Route) =>
    absent.includes(name) ? 'not_found' : queryOf(operation) === '' ? 200 : 'invalid_argument'
  expect(answers).toEqual(Object.fromEntries(reading.map((route) => [route.name, expected(route)])))
})
