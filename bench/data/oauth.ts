import { randomUUID } from 'node:crypto'
import { systemClock } from '../../server/src/clock.ts'
import { loadConfig } from '../../server/src/config.ts'
import { createServices, later, nowOf, type Services } from '../../server/src/services.ts'
import { CODE_LIFETIME } from '../../server/src/lifetimes.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { applyForApp, decideApp, issueSecret, requireApp } from '../../server/src/oauth/apps.ts'
import { issueCredential } from '../../server/src/secrets/oauth-token-format.ts'
import { createOutgoing } from '../../server/src/outgoing/outgoing.ts'
import { systemRandom } from '../../server/src/random.ts'
import type { BenchDatabase } from './bench-database.ts'

export const CALLBACK = 'https://app.example.com/callback'
const OWNER = '00000000-0000-4000-8000-00000000be0d'
const BATCH = 500

export interface BenchApp {
  clientId: string
  /** What an app sends with each request. */
  credentials: string
  /** Authorization codes as a consent makes them, each for another account unless one is named. */
  codes(count: number, scopes: readonly string[], user?: BenchUser): Promise<string[]>
}

/** An account, and the address that it shares. */
export interface BenchUser {
  accountId: string
  address: string
}

/** An approved app with expiring tokens. */
export async function benchApp(
  database: BenchDatabase,
  scopes: readonly string[] = ['openid', 'EVMAddress'],
): Promise<BenchApp> {
  const services = signInOf(database)
  await database.pool.query(`INSERT INTO accounts VALUES ($1, 'owner', now()) ON CONFLICT DO NOTHING`, [OWNER])
  const { clientId } = await applyForApp(services, OWNER, {
    name: 'Bench',
    homepage: '',
    purpose: 'measures',
    redirectUris: [CALLBACK],
    scopes: [...scopes],
    allowedOrigins: [],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    expiringTokens: true,
    s256Only: false,
    publicClient: false,
    subjectType: 'public',
  })
  const { revision } = await requireApp(services, clientId)
  await decideApp(services, clientId, 'approve', { revision })
  const { secret } = await issueSecret(services, await requireApp(services, clientId))
  return {
    clientId,
    credentials: `client_id=${clientId}&client_secret=${secret}`,
    async codes(count, granted, user) {
      const values: string[] = []
      while (values.length < count) {
        const batch = Array.from({ length: Math.min(BATCH, count - values.length) }, () => codeRow(services, clientId, granted, user))
        await database.kysely.insertInto('authorization_codes').values(batch.map(({ row }) => row)).execute()
        values.push(...batch.map(({ value }) => value))
      }
      return values
    },
  }
}

function codeRow(
  services: Services,
  clientId: string,
  scopes: readonly string[],
  { accountId, address }: BenchUser = { accountId: randomUUID(), address: `0x${'0'.repeat(40)}` },
) {
  const code = issueCredential('code', services.random)
  const now = nowOf(services)
  const shared = JSON.stringify({ EVMAddress: { subject: address, username: null } })
  return {
    value: code.value,
    row: {
      family: code.family,
      code_hash: code.hash,
      client_id: clientId,
      account_id: accountId,
      redirect_uri: CALLBACK,
      scopes: [...scopes],
      shared,
      authenticated_at: now,
      expires_at: later(now, CODE_LIFETIME),
    },
  }
}

function signInOf(database: BenchDatabase): Services {
  const config = loadConfig({ QUESTBOARD_SECRET: 'a secret of the measures, which seals nothing' })
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  return createServices({ config, clock: systemClock, random: systemRandom, log: silentLog, database, outgoing })
}
