import { createToken, type NewToken, revokeToken } from '../../src/access/server-tokens.ts'
import { upsertPlan } from '../../src/access/plans.queries.ts'
import type { Dependencies } from '../../src/services.ts'

/** The callers of tests. Each is a server access token, or none. */
export interface Personas {
  anonymous: undefined
  /** An integrator who can read everything, without limits. */
  business: string
  /** The account that owns the spaces of the fixture. */
  owner: string
  /** Can read spaces only. */
  spacesOnly: string
  /** Revoked. */
  revoked: string
  /** Expired an hour ago. */
  expired: string
}

export const OWNER_ACCOUNT = '00000000-0000-4000-8000-00000000000a'
export const BUSINESS_ACCOUNT = '00000000-0000-4000-8000-00000000000b'

export async function createPersonas(deps: Pick<Dependencies, 'database' | 'clock' | 'random'>): Promise<Personas> {
  const { database, clock } = deps
  const created_at = new Date(clock.now())
  await database.kysely
    .insertInto('accounts')
    .values([
      { account_id: OWNER_ACCOUNT, name: 'owner', created_at },
      { account_id: BUSINESS_ACCOUNT, name: 'business', created_at },
    ])
    .execute()
  const issue = (wanted: Partial<NewToken>) =>
    createToken(deps, { accountId: BUSINESS_ACCOUNT, name: 'test', plan: 'unlimited', ...wanted })
  const revoked = await issue({})
  await revokeToken(deps, revoked.record.tokenId)
  const expired = await issue({ expiresAt: new Date(clock.now() + 60_000) })
  await database.kysely
    .updateTable('server_tokens')
    .set({ expires_at: new Date(clock.now() - 3_600_000) })
    .where('token_id', '=', expired.record.tokenId)
    .execute()
  return {
    anonymous: undefined,
    business: (await issue({})).token,
    owner: (await issue({ accountId: OWNER_ACCOUNT })).token,
    spacesOnly: (await issue({ areas: ['space'] })).token,
    revoked: revoked.token,
    expired: expired.token,
  }
}

/** A token on a separate plan. */
export async function tokenWithLimits(
  deps: Dependencies,
  limits: { perSecond: number | null; perDay: number | null },
): Promise<{ token: string; tokenId: string }> {
  const plan = `test-${limits.perSecond ?? 'any'}-${limits.perDay ?? 'any'}`
  await upsertPlan(deps.database.kysely, plan, limits)
  const { token, record } = await createToken(deps, { accountId: BUSINESS_ACCOUNT, name: plan, plan })
  return { token, tokenId: record.tokenId }
}
