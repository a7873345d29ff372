import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerIngest } from '../../src/ingest-api/routes.ts'
import { createServices } from '../../src/services.ts'
import { startService, type TestService } from '../support/service.ts'
import { ingestToken } from './arrange.ts'

interface Operation {
  summary: string
  parameters?: { name: string; in: string; example: string }[]
  requestBody?: { content: Record<string, { schema: object; example: unknown }> }
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

let service: TestService
let document: Document
let token: string
beforeAll(async () => {
  service = await startService()
  token = await ingestToken(service)
  document = (await (await fetch(`${service.url}/ingest/openapi.json`)).json()) as Document
})
afterAll(() => service.stop())

test('is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...document })
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test('contains every route under /ingest', async () => {
  const routes: string[] = []
  const fastify = Fastify()
  fastify.addHook('onRoute', ({ method, url }) => {
    if (method !== 'HEAD') routes.push(`${[method].flat().join()} ${url.replace(/\/$/, '').replace(/:(\w+)/g, '{$1}')}`)
  })
  await registerIngest(fastify, createServices(service.deps), {
    uploads: { allow: () => {} },
    metrics: { ingested: () => {}, watch: () => {} },
    claims: { submit: async () => [], waiting: () => 0 },
  })
  await fastify.close()
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.length).toBeGreaterThan(15)
  expect(described.toSorted()).toEqual([...new Set(routes)].toSorted())
})

test('has examples that succeed, with requests and responses that match their schemas', async () => {
  const ajv = new Ajv2020({ strict: false })
  const check = (schema: object, value: unknown) => {
    const validate = ajv.compile({ ...schema, components: document.components })
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
  }
  const order = [
    'spaces',
    'sprints',
    'referrals', // before the member claims a quest
    'awards',
    'awards/reversals',
    'points',
    'starboards',
    'users',
    'samples',
    'links',
    'credentials',
  ]
  const later = [
    'starboards/{starboardId}/refresh',
    'holders',
    'holders/replace',
    'quests',
    'quests/{questId}/completions',
    'participants',
    'snapshots',
    'holders/remove',
  ]
  const paths = Object.keys(document.paths).filter(
    (path) => document.paths[path]?.post && path.startsWith('/ingest/v1/'),
  )
  expect(paths.toSorted()).toEqual([...order, ...later].map((name) => `/ingest/v1/${name}`).toSorted())
  for (const name of [...order, ...later]) {
    const operation = document.paths[`/ingest/v1/${name}`]?.['post'] as Operation
    const bodies = operation.requestBody?.content ?? { 'text/plain': { schema: {}, example: undefined } }
    for (const [type, { schema, example }] of Object.entries(bodies)) {
      if (type === 'application/json') check(schema, example)
      const parameters = operation.parameters ?? []
      const query = parameters.filter((one) => one.in === 'query').map((one) => `${one.name}=${one.example}`)
      const path = parameters.reduce((at, one) => at.replace(`{${one.name}}`, one.example), name)
      const response = await fetch(`${service.url}/ingest/v1/${path}?${query.join('&')}`, {
        method: 'POST',
        headers: { 'access-token': token, ...(example !== undefined && { 'content-type': type }) },
        ...(example !== undefined && { body: typeof example === 'string' ? example : JSON.stringify(example) }),
      })
      const body = (await response.json()) as { summary?: { refused: number } }
      expect([name, response.status, body]).toEqual([name, 200, body])
      if (body.summary) expect([name, body]).toMatchObject([name, { summary: { refused: 0 } }])
      check(operation.responses['200']?.content?.['application/json']?.schema as object, body)
    }
  }
})

test('generates a page of all routes without scripts and external resources', async () => {
  const response = await fetch(`${service.url}/ingest`)
  const html = await response.text()
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
  for (const path of Object.keys(document.paths)) expect(html).toContain(path)
  expect(html).not.toMatch(/<script|<link|src=|href="[^#\/]|url\(/)
})
