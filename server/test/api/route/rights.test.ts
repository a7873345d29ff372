import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../../support/fixture.ts'
import { type SignedIn, signedInBrowser } from '../../support/oauth-flow.ts'
import { createOwnedResources, type OwnedResources } from './owned-resources.ts'

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
let resources: OwnedResources

beforeAll(async () => {
  world = await startWorld()
  owner = await signedInBrowser(world.app)
  outsider = await signedInBrowser(world.app)
  resources = await createOwnedResources(world, owner)
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
    value: name === 'id' ? resources.ids[path.slice(0, index - 1)] : resources.names[name],
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
