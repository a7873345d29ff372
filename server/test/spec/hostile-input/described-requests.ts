import { type Draw, edited, NOISE } from './draw.ts'
import { files } from './files.ts'
import type { FuzzRequest } from './inputs.ts'
import { anyJson, faulty, type Plausible, type Schema, valueOf } from './json-values.ts'

export interface Operation {
  method: string
  /** With `{name}` in place of parameters. */
  path: string
  /** Names the generator. In the JSON API, it is the tag of the route. */
  topic: string
  parameters: readonly { name: string; in: string; schema: Schema; example?: unknown }[]
  bodies: Readonly<Record<string, { schema: Schema; example?: unknown }>>
  /** Names of the security schemes. */
  security: readonly string[]
}

/** The caller of the routes, and values that exist for it. */
export interface Owner {
  /** The headers that authenticate the caller, by the name of the security scheme; '' is for routes without one. */
  credentials: Readonly<Record<string, Record<string, string>>>
  /** Existing values of path parameters, by the path before them. */
  ids: Readonly<Record<string, string | undefined>>
  plausible: Plausible
}

/** Routes that get no requests, because they would end the session of all other requests. */
const UNSENT = new Set(['DELETE /api/session', 'DELETE /api/sessions', 'DELETE /api/account'])
/** Routes other than DELETE that get unknown ids only: a merge ends the sessions of both accounts. */
const ENDING = new Set(['POST /api/merges/{id}'])

const UNKNOWN_IDS = ['00000000-0000-4000-8000-0000000000fe', '2147483647', 'GCunknown1', 'A'.repeat(22)]

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
}
interface DocumentedOperation {
  tags: string[]
  parameters?: Operation['parameters']
  requestBody?: { content: Operation['bodies'] }
  security?: Record<string, unknown>[]
}

/** The operations of an OpenAPI document. `topic` replaces their tags. */
export function operationsOf(document: unknown, topic?: string): Operation[] {
  return Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, parameters = [], requestBody, security = [] }]) => ({
      method: method.toUpperCase(),
      path,
      topic: topic ?? tags[0] ?? '',
      parameters,
      bodies: requestBody?.content ?? {},
      security: security.flatMap((one) => Object.keys(one)),
    })),
  )
}

/** Generators of malformed requests to the operations, by topic. */
export function requestsTo(
  operations: readonly Operation[],
  owner: Owner,
): Record<string, (draw: Draw) => Omit<FuzzRequest, 'about'>> {
  const sent = operations.filter(
    ({ method, path, parameters, bodies }) =>
      !UNSENT.has(`${method} ${path}`) && (method !== 'GET' || parameters.length > 0 || Object.keys(bodies).length > 0),
  )
  const topics = Object.groupBy(sent, ({ topic }) => topic)
  const isSmall = ({ topic }: Operation) => (topics[topic]?.length ?? 0) < 4
  const groups = Object.groupBy(sent, (one) => (isSmall(one) ? 'other things' : one.topic))
  return Object.fromEntries(
    Object.entries(groups).map(([topic, among = []]) => [
      `requests about ${topic}`,
      (draw) => requestTo(draw, draw.pick(among), owner),
    ]),
  )
}

function requestTo(draw: Draw, operation: Operation, owner: Owner): Omit<FuzzRequest, 'about'> {
  const { method, security } = operation
  // Mistakes in several places hide each other: the first one is refused.
  const fault = draw.pick(['path', 'query', 'body', 'body', 'body'])
  const path = pathTo(draw, operation, owner, fault === 'path')
  const query = queryTo(draw, operation, owner, fault === 'query')
  const body = bodyTo(draw, operation, owner, fault === 'body')
  const [scheme = ''] = security.length > 1 && draw.chance(0.1) ? [draw.pick(security)] : security
  return {
    method,
    path: `${path}${query === '' ? '' : `?${query}`}`.replaceAll(/[^\x21-\x7e]/g, ''),
    headers: {
      ...owner.credentials[scheme],
      accept: 'application/json, text/event-stream, text/html;q=0.9',
      'x-forwarded-for': `10.${draw.upTo(255)}.${draw.upTo(255)}.${draw.upTo(255)}`,
      ...body?.headers,
    },
    ...(body && { body: body.content }),
  }
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function pathTo(
  draw: Draw,
  { method, path, parameters }: Operation,
  { ids, plausible }: Owner,
  wrong: boolean,
): string {
  return path.replaceAll(/\{(\w+)\}/g, (place, name: string, at: number) => {
    const collection = path.slice(0, at - 1)
    const example = parameters.find((one) => one.in === 'path' && one.name === name)?.example
    const id = ids[collection] ?? ids[collection.slice(collection.lastIndexOf('/'))]
    const known = name === 'id' && id !== undefined ? [id] : plausible[name]
    const right = String(draw.pick(known ?? [example ?? id ?? '1']))
    // Later requests need each existing object.
    const isRemoved = path.endsWith(place) && (method === 'DELETE' || ENDING.has(`${method} ${path}`))
    if (isRemoved) return encoded(draw.pick([...UNKNOWN_IDS, draw.pick(NOISE)]))
    if (!wrong || draw.chance(0.3)) return encoded(right)
    const text = draw.chance(0.5) ? edited(draw, right) : draw.pick(NOISE)
    return draw.chance(0.8) ? encoded(text) : text.replaceAll(/[/?#]/g, '')
  })
}

type Pair = [name: string, value: string]

function queryTo(draw: Draw, { parameters }: Operation, { plausible }: Owner, wrong: boolean): string {
  const right = parameters
    .filter((one) => one.in === 'query' && draw.chance(0.7))
    .map(({ name, schema, example }): Pair => {
      const value = example !== undefined && draw.chance(0.5) ? example : valueOf(draw, schema, plausible, name)
      return [name, typeof value === 'string' ? value : JSON.stringify(value)]
    })
  const pairs = wrong ? withMistake(draw, right) : right
  const text = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  return wrong && draw.chance(0.1) ? edited(draw, text) : text
}

/** Replaces or repeats a parameter, or adds an unknown one. */
function withMistake(draw: Draw, right: readonly Pair[]): Pair[] {
  const [name, value] = right.length > 0 && draw.chance(0.9) ? draw.pick(right) : ['unknown', '1']
  const wrongName = draw.chance(0.8) ? name : draw.pick([`${name}[]`, `${name}[a]`, edited(draw, name)])
  const wrongValue = draw.chance(0.3) ? edited(draw, value) : draw.pick(NOISE)
  const others = draw.chance(0.7) ? right.filter(([other]) => other !== name) : right
  return [...others, [wrongName, wrongValue]]
}

interface Body {
  headers: Record<string, string>
  content: string | Buffer
}

function bodyTo(draw: Draw, operation: Operation, { plausible }: Owner, wrong: boolean): Body | undefined {
  const types = Object.entries(operation.bodies)
  if (types.length === 0) return undescribedBody(draw, operation)
  const [type, { schema, example }] = draw.pick(types)
  const value = example !== undefined && draw.chance(0.6) ? example : valueOf(draw, schema, plausible)
  return {
    headers: { 'content-type': wrong && draw.chance(0.03) ? 'text/plain' : type },
    content: written(draw, type, value, wrong),
  }
}

function written(draw: Draw, type: string, value: unknown, wrong: boolean): string {
  if (type === 'application/x-www-form-urlencoded') return formOf(draw, value as object, wrong)
  if (type === 'application/x-ndjson' && typeof value === 'string') {
    const lines = value.split('\n').filter((line) => line !== '')
    return lines.map((line) => (wrong ? lineOf(draw, line) : line)).join('\n')
  }
  if (type !== 'application/json') return wrong ? edited(draw, String(value)) : String(value)
  if (!wrong) return JSON.stringify(value)
  const shape = draw.upTo(19)
  if (shape === 0) return JSON.stringify(draw.from(anyJson))
  return shape === 1 ? edited(draw, JSON.stringify(value)) : faulty(draw, value)
}

function lineOf(draw: Draw, line: string): string {
  try {
    return faulty(draw, JSON.parse(line))
  } catch {
    return edited(draw, line)
  }
}

function formOf(draw: Draw, fields: object, wrong: boolean): string {
  const pairs = Object.entries(fields).map(([name, value]: [string, unknown]) => [name, String(value)] as const)
  const text = pairs.map(([name, value]) => {
    const other = wrong && draw.chance(0.4) ? draw.pick([draw.pick(NOISE), edited(draw, value)]) : value
    return `${encoded(name)}=${encoded(other)}`
  })
  if (wrong && draw.chance(0.2)) text.push(...text.slice(0, 1))
  return text.join('&')
}

/** For a route whose description has no body: nothing, JSON, or a file. */
function undescribedBody(draw: Draw, { method }: Operation): Body | undefined {
  if (method === 'GET' || draw.chance(0.5)) return undefined
  if (draw.chance(0.4)) return { headers: { 'content-type': 'application/octet-stream' }, content: draw.from(files) }
  const content = JSON.stringify(draw.from(anyJson))
  return { headers: { 'content-type': 'application/json' }, content }
}
