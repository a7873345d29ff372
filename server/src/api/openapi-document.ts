import type { FastifyInstance } from 'fastify'
import type { JsonSchema } from './json-schema.ts'

export interface ApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  schema: JsonSchema
  required?: boolean
  example?: unknown
}

/** A body by media type. */
export type ApiContent = Record<string, { schema: JsonSchema; example?: unknown; examples?: Record<string, unknown> }>

export interface ApiAnswer {
  description: string
  content?: ApiContent
  headers?: Record<string, { description: string; schema: JsonSchema }>
}

/** What a route says of itself. A route gives it as `config: { api: … }`; the document is made from nothing else. */
export interface ApiOperation {
  /** One line: what it does. */
  summary: string
  /** More, in CommonMark. */
  description?: string
  tag: string
  parameters?: readonly ApiParameter[]
  body?: { required?: boolean; content: ApiContent }
  /** By HTTP status. */
  answers: Record<number, ApiAnswer>
  /** Names of security schemes, any of which will do; none for a public route. */
  security?: readonly string[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for a route that is not part of the documented interface. */
    api?: ApiOperation
  }
}

export interface ApiRoute {
  method: string
  /** As the router has it, with `:name` for what varies. */
  path: string
  api: ApiOperation | undefined
}

/** Notes every route that the scope gets from now on, with what it says of itself. */
export function collectRoutes(scope: FastifyInstance): readonly ApiRoute[] {
  const routes: ApiRoute[] = []
  scope.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) {
      // Fastify adds a HEAD to every GET, and takes the root of a prefix with and without its slash.
      if (one !== 'HEAD' && !(url.length > 1 && url.endsWith('/')))
        routes.push({ method: one, path: url, api: config?.api })
    }
  })
  return routes
}

export interface ApiDescription {
  title: string
  /** In CommonMark. */
  description: string
  version: string
  tags: readonly { name: string; description: string }[]
  /** Security schemes and schemas that routes refer to by `#/components/…`. */
  components: { securitySchemes?: Record<string, JsonSchema>; schemas?: Record<string, JsonSchema> }
}

/** The OpenAPI 3.1 document of the routes that say what they do. */
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

/** `post-ingest-v1-awards`: the same as long as method and path are. */
function operationId(method: string, path: string): string {
  return [method.toLowerCase(), ...path.split('/').filter((part) => part !== '')]
    .map((part) => part.replace(':', 'by-'))
    .join('-')
}
