import { randomUUID } from 'node:crypto'
import type { BenchDatabase } from './bench-database.ts'
import { benchApp, CALLBACK } from './oauth.ts'

/** An account with two linked addresses, and the access token of an app that may complete quests for it. */
export interface Claimant {
  accountId: string
  addresses: readonly [string, string]
  token: string
}

const SCOPES = ['EVMAddress', 'quests:claim']

/** Creates accounts with these addresses, two each, and redeems a code for each at the service. */
export async function createClaimants(
  database: BenchDatabase,
  url: string,
  addresses: readonly [string, string][],
): Promise<Claimant[]> {
  const accounts = addresses.map((own) => ({ accountId: randomUUID(), own }))
  const ids = accounts.flatMap(({ accountId }) => [accountId, accountId])
  const values = [ids, addresses.flat()]
  await database.pool.query(
    `INSERT INTO accounts (account_id, name, created_at) SELECT id, id::text, now() FROM unnest($1::uuid[]) AS a (id)`,
    [accounts.map(({ accountId }) => accountId)],
  )
  for (const statement of [
    `INSERT INTO identity_subjects (account_id, subject, kind)
     SELECT id, address, 'EVMAddress' FROM unnest($1::uuid[], $2::text[]) AS a (id, address)`,
    `INSERT INTO identities (account_id, subject, kind, linked_at)
     SELECT id, address, 'EVMAddress', now() FROM unnest($1::uuid[], $2::text[]) AS a (id, address)`,
  ])
    await database.pool.query(statement, values)
  const app = await benchApp(database, SCOPES)
  const claimants: Claimant[] = []
  for (const { accountId, own } of accounts) {
    const [code = ''] = await app.codes(1, SCOPES, { accountId, address: own[0] })
    const response = await fetch(`${url}/oauth/auth/2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${app.credentials}&grant_type=authorization_code&redirect_uri=${encodeURIComponent(CALLBACK)}&code=${code}`,
    })
    const { access_token: token } = (await response.json()) as { access_token?: string }
    if (token === undefined) throw new Error(`a code was refused with ${response.status}`)
    claimants.push({ accountId, addresses: own, token })
  }
  return claimants
}
