import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { examineCollector } from '../../src/doctor/collector.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { ask } from '../support/ask.ts'
import { createPersonas, type Personas } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  status?: { code: number }
}

/** An OTLP collector over HTTP that keeps the spans. */
let collector: Upstream
const received: { headers: NodeJS.Dict<string | string[]>; url: string; spans: SentSpan[]; service: string }[] = []
let service: TestService
let personas: Personas

beforeAll(async () => {
  collector = await startUpstream(({ url, headers, body }, response) => {
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: [] | [{ resource: { attributes: SentSpan['attributes'] }; scopeSpans: [{ spans: SentSpan[] }] }]
    }
    if (resourceSpans.length === 0) return void response.writeHead(200).end('{}')
    const [{ resource, scopeSpans }] = resourceSpans
    const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    received.push({ headers, url, spans: scopeSpans[0].spans, service: name })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  service = await startService({
    settings: {
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=secret%20key',
      OTEL_SERVICE_NAME: 'board',
    },
  })
  personas = await createPersonas(service.deps)
})
afterAll(async () => {
  await service.stop()
  await collector.close()
})

/** Waits for the root span of a trace. */
async function spansOf(traceId: string): Promise<SentSpan[]> {
  for (;;) {
    const spans = received.flatMap(({ spans }) => spans).filter((span) => span.traceId === traceId)
    if (spans.some(({ kind }) => kind === 2)) return spans
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const attribute = (span: SentSpan | undefined, key: string) => {
  const value = span?.attributes.find((each) => each.key === key)?.value
  return value?.stringValue ?? value?.intValue
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'

test('adds a query with child spans to the trace of its caller', async () => {
  await service.database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (7, 'Space', now())`)
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` }
  const answer = await ask(service.url, '{ space(id: 7) { name } }', { token: personas.business, headers })
  const spans = await spansOf(TRACE)
  const root = spans.find(({ parentSpanId }) => parentSpanId === CALLER)
  expect(root).toMatchObject({ name: 'POST /query', kind: 2 })
  expect(attribute(root, 'http.response.status_code')).toBe(200)
  expect(attribute(root, 'questboard.operation')).toBe('space')
  expect(attribute(root, 'questboard.request_id')).toBe(answer.headers.get('x-request-id'))
  expect(attribute(root, 'questboard.token_id')).toMatch(/^[0-9a-f-]{36}$/)
  const below = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId)
  expect(below.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['authenticate', 'quota', 'compile', 'space.by-id']) as string[],
  )
  for (const span of below) {
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 0))
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
  }
  expect(received[0]).toMatchObject({ url: '/v1/traces', service: 'board', headers: { 'x-api-key': 'secret key' } })
})

test('excludes variables, tokens and addresses from spans', async () => {
  const text = JSON.stringify(received)
  expect(text).not.toContain(personas.business)
  expect(text).not.toContain('INSERT')
})

test('reports other requests as spans', async () => {
  const traceId = 'a'.repeat(32)
  await fetch(`${service.url}/docs/api?x=1`, { headers: { traceparent: `00-${traceId}-${CALLER}-01` } })
  const [root] = await spansOf(traceId)
  expect(root).toMatchObject({ name: 'GET /docs' })
  expect(attribute(root, 'url.path')).toBe('/docs/api')
})

test('reports a token look-up, which bypasses Fastify, as a span', async () => {
  const traceId = '9'.repeat(32)
  const headers = { traceparent: `00-${traceId}-${CALLER}-01` }
  const { headers: answered } = await fetch(`${service.url}/oauth/api/2/token`, { headers })
  const [root] = await spansOf(traceId)
  expect(root).toMatchObject({ name: 'GET /oauth' })
  expect(attribute(root, 'http.response.status_code')).toBe(401)
  expect(attribute(root, 'questboard.request_id')).toBe(answered.get('x-request-id'))
})

test.each([
  ['traceparent is not sampled', `00-${'b'.repeat(32)}-${CALLER}-00`, 'b'],
  ['traceparent is invalid', `00-${'c'.repeat(31)}-${CALLER}-01`, 'c'],
])('does not join the trace of a request if %s', async (_, traceparent, digit) => {
  await ask(service.url, '{ __typename }', { token: personas.business, headers: { traceparent } })
  await ask(service.url, '{ __typename }', {
    token: personas.business,
    headers: { traceparent: `00-${'d'.repeat(32)}-${CALLER}-01` },
  })
  await spansOf('d'.repeat(32))
  expect(received.flatMap(({ spans }) => spans).some(({ traceId }) => traceId.startsWith(digit.repeat(31)))).toBe(false)
})

test('serves requests and stops while the collector is unreachable', async () => {
  const alone = await startService({
    database: service.database,
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    },
  })
  const { status } = await ask(alone.url, '{ __typename }', { token: personas.business })
  expect(status).toBe(200)
  await alone.stop()
})

test('checks in doctor that the collector accepts traces', async () => {
  const outgoing = createOutgoing({ hosts: [{ hostname: '127.0.0.1', port: undefined }] })
  const asking = { outgoing, timeout: 2_000 }
  const found = async (endpoint?: string) =>
    Promise.all(
      examineCollector(asking, loadConfig(endpoint === undefined ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })),
    )
  expect(await found(collector.url)).toMatchObject([{ state: 'ok' }])
  expect(await found(`${service.url}/nowhere`)).toMatchObject([
    { state: 'problem', says: expect.stringMatching(/answers 404$/) as string },
  ])
  expect(await found('http://127.0.0.1:1')).toMatchObject([{ state: 'problem' }])
  expect(await found()).toEqual([])
  await outgoing.close()
})
