import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { Pool } from 'pg'
import { ADAPTER_SCHEMA, pgAdapter } from './pg-adapter.ts'

/**
 * oidc-provider on PostgreSQL, as a process: `node bench/references/oidc-provider.ts DATABASE_URL`. Prints its address.
 * `POST /seed` `{count, scope}` makes `count` codes, as consents would, and at most 256 access tokens, and returns all.
 */
const MAX_TOKENS = 256
const CLIENT = { id: 'bench', secret: 'S'.repeat(43), redirectUri: 'https://app.example.com/callback' }

const pool = new Pool({ connectionString: process.argv[2], max: 10 })
await pool.query(ADAPTER_SCHEMA)
const { privateKey } = await generateKeyPair('RS256', { extractable: true })

let handle = (_request: IncomingMessage, response: import('node:http').ServerResponse) => void response.end()
const server = createServer((request, response) => handle(request, response))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const provider = new Provider(issuer, {
  adapter: pgAdapter(pool),
  clients: [
    {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [CLIENT.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
  cookies: { keys: [randomUUID()] },
  scopes: ['openid', 'data'],
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: { devInteractions: { enabled: false }, introspection: { enabled: true } },
  pkce: { required: () => false },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  ttl: { AccessToken: 86_400, AuthorizationCode: 600, RefreshToken: 86_400, Grant: 86_400, IdToken: 3600 },
})
provider.on('server_error', (_context, error) => console.error(error))

const answer = provider.callback()
handle = (request, response) => {
  if (request.url !== '/seed') return void answer(request, response)
  void seed(request).then((seeded) => response.end(JSON.stringify(seeded)))
}

async function seed(request: IncomingMessage): Promise<{ codes: string[]; accessTokens: string[] }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { count, scope } = JSON.parse(Buffer.concat(chunks).toString()) as { count: number; scope: string }
  const client = await provider.Client.find(CLIENT.id)
  if (!client) throw new Error('the client of the bench is not there')
  const one = async () => {
    const accountId = randomUUID()
    const grant = new provider.Grant({ accountId, clientId: CLIENT.id })
    grant.addOIDCScope(scope)
    return { accountId, grantId: await grant.save(), client, scope, gty: 'authorization_code' }
  }
  const [codes, accessTokens]: [string[], string[]] = [[], []]
  for (let n = 0; n < count; n++) {
    const facts = { ...(await one()), redirectUri: CLIENT.redirectUri, authTime: Math.floor(Date.now() / 1000) }
    codes.push(await new provider.AuthorizationCode(facts).save())
  }
  for (let n = 0; n < Math.min(count, MAX_TOKENS); n++)
    accessTokens.push(await new provider.AccessToken(await one()).save())
  return { codes, accessTokens }
}

console.log(`ready ${issuer}`)
