import fc from 'fast-check'
import type { GraphQLSchema } from 'graphql'
import { formatToken } from '../../../src/secrets/token-format.ts'
import { batchKinds } from '../../../src/ingest-api/batch-kinds.ts'
import { type Known, operation } from './documents.ts'
import { type Operation, type Owner, requestsTo } from './described-requests.ts'
import { type Draw, drawn, edited, NOISE } from './draw.ts'
import { anyJson } from './json-values.ts'

/** A request in wire format. `raw` is the whole request including the head. */
export interface FuzzRequest {
  about: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
  raw?: Buffer
}

export interface Target {
  schema: GraphQLSchema
  known: Known
  /** A server token that can read everything, and an ingest token that can write everything. */
  reader: string
  writer: string
  /** An app that can redeem codes. */
  app: { clientId: string; secret: string; redirectUri: string }
  /** The session of a browser. */
  session: { cookie: string; csrf: string }
  /** All routes that have parameters or a body, and their caller. */
  operations: readonly Operation[]
  owner: Owner
}

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const bytes = fc.uint8Array({ maxLength: 300 })
const KINDS = [
  ...['EVMAddress', 'SolanaAddress', 'SeiAddress', 'AptosAddress', 'InjectiveAddress', 'FlowAddress', 'ServiceID'],
  ...['Telegram', 'Email', 'Discord', 'Github', 'x'],
]

/** Generators for every kind of external input, by name. */
export function inputs(target: Target): Record<string, fc.Arbitrary<FuzzRequest>> {
  const { schema, known, reader, writer, app, session, operations, owner } = target
  const address = (draw: Draw) => ({ 'x-forwarded-for': `10.${draw.upTo(255)}.${draw.upTo(255)}.${draw.upTo(255)}` })
  const query = (body: string | Buffer, headers: Record<string, string> = {}): Omit<FuzzRequest, 'about'> => ({
    method: 'POST',
    path: '/query',
    headers: { ...JSON_TYPE, 'access-token': reader, ...headers },
    body,
  })
  const text = (draw: Draw, ...likely: string[]) => {
    const chosen = draw.pick([...likely, ...likely, draw.pick(NOISE), draw.pick(known.texts)])
    return draw.chance(0.25) ? edited(draw, chosen) : chosen
  }
  const all: Record<string, (draw: Draw) => Omit<FuzzRequest, 'about'>> = {
    documents: (draw) => query(JSON.stringify(operation(draw, schema, known))),
    bodies(draw) {
      const body = JSON.stringify(draw.chance(0.7) ? operation(draw, schema, known) : draw.from(anyJson))
      if (draw.chance(0.2)) return query(Buffer.from(draw.from(bytes)))
      return query(edited(draw, body))
    },
    headers(draw) {
      const names = ['accept', 'content-type', 'access-token', 'authorization', 'content-encoding', 'origin', 'cookie']
      const values = [
        'application/json',
        '*/*',
        'application/graphql-response+json;q=0',
        'Bearer x',
        'gzip',
        'text/plain',
      ]
      const headers: Record<string, string> = {}
      for (let count = 1 + draw.upTo(3); count > 0; count--) headers[draw.pick(names)] = sendable(text(draw, ...values))
      const path = `/query${draw.pick(['', '', '?', '?a=b', '/', '%00', '/../query'])}`
      const method = draw.pick(['POST', 'POST', 'POST', 'GET', 'PUT', 'OPTIONS', 'HEAD'])
      return { ...query('{"query":"{ __typename }"}', headers), path, method }
    },
    cursors(draw) {
      const cursor = edited(draw, draw.pick(known.texts))
      const fields = [
        'space(id: 40) { loyaltyPointsRanks(cursorAfter: $c) { totalCount list { rank } } }',
        'space(id: 40) { loyaltyPointsRanks(cursorBefore: $c, sprintId: 1) { pageInfo { endCursor } } }',
        'spaceLoyaltyPointsRanks(spaceId: 40, cursorAfter: $c) { totalCount }',
        'starboard(id: "1") { leaderboard(pagination: { forward: { first: 2, after: $c } }) { edges { node { rank { value } } } } }',
        'quests(input: { first: 2, after: $c }) { list { id } }',
      ]
      return query(JSON.stringify({ query: `query ($c: String) { ${draw.pick(fields)} }`, variables: { c: cursor } }))
    },
    tokens(draw) {
      const prefix = draw.pick(['qbs', 'qbi', 'qbu', 'qbr', 'qbc', 'qbx'] as const)
      const secret = formatToken(prefix, draw.from(fc.uint8Array({ minLength: 32, maxLength: 32 })))
      const token = sendable(text(draw, secret, reader, writer))
      const paths = [
        '/query',
        '/oauth/api/2/token',
        '/oauth/api/2/user?scope=Email',
        '/oauth/userinfo',
        '/ingest/v1/spaces',
      ]
      const path = draw.pick(paths)
      const header = draw.pick(['access-token', 'access_token', 'authorization'])
      const value = header === 'authorization' ? `${draw.pick(['Bearer ', 'bearer', 'Basic ', ''])}${token}` : token
      const post = path === '/query' || path.startsWith('/ingest')
      return {
        method: post ? 'POST' : 'GET',
        path,
        headers: { ...(post && JSON_TYPE), [header]: value, ...address(draw) },
        ...(post && { body: '{"query":"{ __typename }"}' }),
      }
    },
    'oauth forms'(draw) {
      const code = formatToken(
        draw.pick(['qbc', 'qbr', 'qbu']),
        draw.from(fc.uint8Array({ minLength: 32, maxLength: 32 })),
      )
      const values: Record<string, string[]> = {
        client_id: [app.clientId],
        client_secret: [app.secret],
        code: [code],
        refresh_token: [code],
        token: [code],
        grant_type: ['authorization_code', 'refresh_token', 'client_credentials'],
        redirect_uri: [app.redirectUri, 'javascript:alert(1)', 'https://[::1'],
        code_verifier: ['a'.repeat(43)],
        scope: ['EVMAddress', 'openid Email', ' '],
        token_type_hint: ['access_token', 'x'],
      }
      const given = Object.entries(values)
        .filter(() => draw.chance(0.75))
        .map(
          ([name, likely]) =>
            [draw.chance(0.03) ? edited(draw, name) : name, text(draw, ...likely)] as [string, string],
        )
      if (draw.chance(0.1) && given[0]) given.push(given[0])
      const path = draw.pick(['/oauth/auth/2/token', '/oauth/auth/2/token', '/oauth/introspect', '/oauth/revoke'])
      const shape = draw.upTo(9)
      const form = new URLSearchParams(given.map(([name, value]) => [name, value.toWellFormed()])).toString()
      const body = shape < 7 ? form : shape === 7 ? JSON.stringify(Object.fromEntries(given)) : multipart(given)
      const type =
        shape < 7 ? FORM_TYPE : shape === 7 ? JSON_TYPE : { 'content-type': 'multipart/form-data; boundary=x' }
      const basic = {
        authorization: `Basic ${Buffer.from(`${app.clientId}:${text(draw, app.secret)}`).toString('base64')}`,
      }
      const headers = { ...type, ...address(draw), ...(draw.chance(0.15) && basic) }
      return { method: 'POST', path, headers, body: draw.chance(0.15) ? edited(draw, body) : body }
    },
    'authorization requests'(draw) {
      const values: Record<string, string> = {
        client_id: app.clientId,
        redirect_uri: app.redirectUri,
        scope: 'EVMAddress ServiceID',
        state: 'state',
        response_type: 'code',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
        prompt: 'none',
        nonce: 'n',
        max_age: '10',
      }
      const given = Object.entries(values)
        .filter(() => draw.chance(0.8))
        .map(([name, likely]): [string, string] => [name, text(draw, likely).toWellFormed()])
      const form = new URLSearchParams(given).toString()
      const path = `/oauth?${draw.chance(0.2) ? encodeURI(edited(draw, form).toWellFormed()) : form}`
      return { method: 'GET', path: path.replaceAll(/[^\x21-\x7e]/g, ''), headers: { ...address(draw) } }
    },
    'wallet proofs'(draw) {
      const headers = { ...JSON_TYPE, ...session, 'x-csrf-token': session.csrf, ...address(draw) }
      const proof = () => ({
        address: text(draw, `0x${'1'.repeat(40)}`, 'sei1qqqq', '11111111111111111111111111111111'),
        signature: text(draw, `0x${'a'.repeat(130)}`, 'a'.repeat(88)),
        publicKey: text(draw, 'A'.repeat(44), '00'.repeat(32)),
        scheme: text(draw, 'ed25519', 'multi_key'),
        ...(draw.chance(0.3) && {
          credential: draw.from(anyJson),
          signatures: draw.from(anyJson),
          code: draw.from(anyJson),
        }),
      })
      const challenge = () => ({
        kind: draw.pick(KINDS),
        purpose: draw.pick(['sign-in', 'sign-in', 'link', 'x']),
        ...(draw.chance(0.8) && { address: text(draw, `0x${'1'.repeat(40)}`, 'a@example.com') }),
        ...(draw.chance(0.2) && { chainId: draw.pick([1, 0, -1, 1.5, 1e300, '1']) }),
      })
      const asked = draw.chance(0.5)
      const id = draw.pick(['A'.repeat(22), '0'.repeat(32), text(draw, 'x')])
      const path = asked ? '/api/challenges' : `/api/challenges/${encodeURIComponent(id.toWellFormed())}/proof`
      const value = draw.chance(0.15) ? draw.from(anyJson) : asked ? challenge() : proof()
      const body = JSON.stringify(value)
      const { cookie, 'content-type': type } = headers
      const sent = { cookie, 'content-type': type, 'x-csrf-token': headers['x-csrf-token'], ...address(draw) }
      return { method: 'POST', path, headers: sent, body: draw.chance(0.1) ? edited(draw, body) : body }
    },
    'import items'(draw) {
      const kind = draw.pick(batchKinds)
      const item = (): unknown => {
        const fields = Object.entries(kind.example).map(([name, value]: [string, unknown]) => {
          if (draw.chance(0.8)) return [name, value]
          return [
            draw.chance(0.1) ? edited(draw, name) : name,
            draw.chance(0.5) ? text(draw, String(value)) : draw.from(anyJson),
          ]
        })
        return draw.chance(0.03) ? draw.from(anyJson) : Object.fromEntries(fields)
      }
      const items = Array.from({ length: 1 + draw.upTo(3) }, item)
      const lines = draw.chance(0.4)
      const body = lines ? items.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify({ items })
      const type = { 'content-type': lines ? 'application/x-ndjson' : 'application/json' }
      const headers = { ...type, authorization: `Bearer ${writer}` }
      const path = `/ingest/v1/${kind.path}`
      return { method: 'POST', path, headers, body: draw.chance(0.2) ? edited(draw, body) : body }
    },
    'lists of holders'(draw) {
      const list = Array.from({ length: draw.upTo(4) }, () => text(draw, `0x${'2'.repeat(40)}`)).join('\n')
      const id = encodeURIComponent(text(draw, '500', '312969464').toWellFormed())
      const type = draw.pick(['text/plain', 'application/x-ndjson', 'text/csv'])
      const headers = { 'content-type': type, authorization: `Bearer ${writer}` }
      return { method: 'POST', path: `/ingest/v1/holders/replace?credentialId=${id}`, headers, body: list }
    },
    paths(draw) {
      const paths = [
        '/api/tokens',
        '/api/session',
        '/app-logos/x',
        '/docs',
        '/schema.graphql',
        '/.well-known/openid-configuration',
      ]
      const more = [
        '/identity/Github/callback?code=a&state=b',
        '/api/authorizations/x',
        '/ingest/openapi.json',
        '/assets/a.js',
      ]
      const path = draw.chance(0.5) ? edited(draw, draw.pick([...paths, ...more])) : draw.pick([...paths, ...more])
      const plain = encodeURI(path.toWellFormed()).replaceAll(/[^\x21-\x7e]/g, '')
      const method = draw.pick(['GET', 'GET', 'POST', 'DELETE', 'PATCH', 'OPTIONS'])
      const headers = {
        cookie: draw.chance(0.5) ? session.cookie : sendable(text(draw, session.cookie)),
        ...address(draw),
      }
      return { method, path: plain.startsWith('/') ? plain : `/${plain}`, headers }
    },
    'raw heads'(draw) {
      const head = `POST /query HTTP/1.1\r\nhost: x\r\naccess-token: ${reader}\r\ncontent-type: application/json\r\n`
      const length = draw.pick([
        'content-length: 26',
        'content-length: 5',
        'content-length: -1',
        'transfer-encoding: chunked',
        '',
      ])
      const whole = `${head}${length}\r\n\r\n{"query":"{ __typename }"}`
      const raw = Buffer.from(draw.chance(0.8) ? edited(draw, whole) : whole, draw.chance(0.5) ? 'utf8' : 'latin1')
      return { method: 'POST', path: '/query', headers: {}, raw }
    },
    ...requestsTo(operations, owner),
  }
  return Object.fromEntries(
    Object.entries(all).map(([about, make]) => [about, drawn((draw) => ({ about, ...make(draw) }))]),
  )
}

/** What a client can put into a header at all. */
function sendable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '')
}

function multipart(fields: readonly [string, string][]): string {
  const parts = fields.map(
    ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return `${parts.join('')}--x--\r\n`
}
