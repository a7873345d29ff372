import type { Operation } from './described-requests.ts'

/** Pages, and the parameters of their queries. Share images have the same parameters, but rendering them takes seconds. */
const pages: [path: string, ...query: string[]][] = [
  ['/', 'after', 'lang', 'query'],
  ['/s/{slug}', 'sprint', 'after', 'movement', 'find', 'lang'],
  ['/s/{slug}/me', 'sprint', 'lang'],
  ['/s/{slug}/logo.png', 'v'],
  ['/m/{slug}/{address}', 'lang'],
  ['/b/{id}', 'after', 'lang'],
  ['/q/{id}', 'lang'],
  ['/embed/{slug}', 'theme', 'rows', 'sprint', 'lang'],
  ['/embed/{slug}/{file}', 'sprint', 'lang'],
  ['/authorize/{id}', 'lang'],
  ['/account/{page}', 'lang'],
  ['/content/{page}', 'after', 'search'],
  ['/explore/{page}', 'after', 'search'],
  ['/operator/{page}', 'after', 'search'],
  ['/settings/{page}', 'lang'],
  ['/docs/{page}', 'q'],
  ['/assets/{file}', 'v'],
  ['/playground', 'query', 'variables'],
  ['/sign-in', 'return', 'lang'],
  ['/sitemap.xml', 'after'],
]

const streams: typeof pages = [
  ['/live/spaces/{id}', 'sprintId', 'first', 'member'],
  ['/live/starboards/{id}', 'first', 'member'],
]

const getting =
  (topic: string, security: string[]) =>
  ([path, ...query]: (typeof pages)[number]): Operation => ({
    method: 'GET',
    path,
    topic,
    parameters: query.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
    bodies: {},
    security,
  })

/** What a tool of the Model Context Protocol may read. */
const toolArguments = {
  type: 'object',
  properties: {
    ...Object.fromEntries(['id', 'search', 'address', 'after', 'handle'].map((name) => [name, { type: 'string' }])),
    ...Object.fromEntries(['spaceId', 'sprintId', 'first', 'credentialId'].map((name) => [name, { type: 'integer' }])),
  },
}
const TOOLS = ['get_credential', 'check_credential', 'search_manual', 'get_quest', 'list_quests', 'get_space_rank']
const message = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['integer', 'string'] },
    method: { type: 'string' },
    params: {
      type: 'object',
      required: ['name', 'arguments'],
      properties: { name: { enum: TOOLS }, arguments: toolArguments, protocolVersion: { type: 'string' } },
    },
  },
}

/** Routes that no OpenAPI document describes. */
export const undescribedOperations: readonly Operation[] = [
  ...pages.map(getting('pages', [])),
  ...streams.map(getting('live boards and tools', ['serverToken'])),
  {
    method: 'POST',
    path: '/mcp',
    topic: 'live boards and tools',
    parameters: [],
    bodies: { 'application/json': { schema: message } },
    security: ['serverToken'],
  },
]
