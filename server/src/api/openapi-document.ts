import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import type { JsonSchema } from './json-schema.ts'

export interface ApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  schema: JsonSchema
  required?: boolean
  example?: unknown
}

/** By media type. */
export type ApiContent = Record<string, { schema: JsonSchema; example?: unknown; examples?: Record<string, unknown> }>

export interface ApiAnswer {
  description: string
  content?: ApiContent
  headers?: Record<string, { description: string; schema: JsonSchema }>
}

/** The OpenAPI description of a route, set as `config: { api: … }`. */
export interface ApiOperation {
  /** One line. */
  summary: string
  /** CommonMark. */
  description?: string
  tag: string
  parameters?: readonly ApiParameter[]
  body?: { required?: boolean; content: ApiContent }
  /** By HTTP status. */
  answers: Record<number, ApiAnswer>
  /** Names of alternative security schemes; none for public routes. */
  security?: readonly string[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for undocumented routes. A function runs when a document needs the description. */
    api?: ApiOperation | (() => ApiOperation)
  }
}

export interface ApiRoute {
  method: string
  /** The router's path, with `:name` parameters. */
  path: string
  readonly api: ApiOperation | undefined
}

/** The description of a route; undefined for undocumented routes. */
export const operationIn = ({ api }: Pick<FastifyContextConfig, 'api'>): ApiOperation | undefined =>
  typeof api === 'function' ? api() : api

/** Collects the routes that are registered on the scope from now on. */
export function collectRoutes(scope: FastifyInstance): readonly ApiRoute[] {
  const routes: ApiRoute[] = []
  scope.addHook('onRoute', ({ method, url, config = {} }) => {
    for (const one of [method].flat()) {
      // Skip the HEAD that Fastify adds to each GET, and the root of a prefix with a trailing slash.
      if (one !== 'HEAD' && !(url.length > 1 && url.endsWith('/')))
        routes.push({
          method: one,
          path: url,
          get api() {
            return operationIn(config)
          },
        })
    }
  })
  return routes
}

export interface ApiDescription {
  title: string
  /** CommonMark. */
  description: string
  version: string
  tags: readonly { name: string; description: string }[]
  /** Security schemes and schemas that routes reference by `#/components/…`. */
  components: { securitySchemes?: Record<string, JsonSchema>; schemas?: Record<string, JsonSchema> }
}

/** The OpenAPI 3.1 document of the documented routes. */
export function openApiDocument(about: ApiDescription, routes: readonly ApiRoute[]): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, api } of routes) {
    if (!api) continue
    const at = path.replace(/:(\w+)/g, '{$1}')
    paths[at] = { ...paths[at], [method.toLowerCase()]: operationObject(api, operationId(method, path)) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: about.title,
      description: about.description,
      version: about.version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: about.tags,
    paths,
    components: about.components,
  }
}

function operationObject(api: ApiOperation, id: string): JsonSchema {
  return {
    operationId: id,
    summary: api.summary,
    ...(api.description !== undefined && { description: api.description }),
    tags: [api.tag],
    ...(api.parameters && {
      parameters: api.parameters.map((one) => ({ ...one, required: one.in === 'path' || one.required === true })),
    }),
    ...(api.body && { requestBody: { required: api.body.required ?? true, content: api.body.content } }),
    responses: api.answers,
    security: (api.security ?? []).map((name) => ({ [name]: [] })),
  }
}

/** Stable as long as method and path are: `post-ingest-v1-awards`. */
function operationId(method: string, path: string): string {
  return [method.toLowerCase(), ...path.split('/').filter((part) => part !== '')]
    .map((part) => part.replace(':', 'by-'))
    .join('-')
}
