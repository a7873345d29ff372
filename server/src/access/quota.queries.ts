import type { Pool } from 'pg'
import { statement } from '@questboard/pg-read-pipeline'

/** A window of a limit of a token. */
export interface QuotaWindow {
  tokenId: string
  period: 'second' | 'day'
  /** In seconds or days since 1970. */
  start: number
}

export interface Lease {
  granted: number
  leased: number
}

const lease = statement<Lease>(
  'quota.lease',
  `INSERT INTO quota_windows AS q (token_id, period, window_start, leased, granted)
   VALUES ($1::uuid, $2::text, $3::bigint, least($5::int, greatest(1, $4::int / 8)), least($5::int, greatest(1, $4::int / 8)))
   ON CONFLICT (token_id, period, window_start) DO UPDATE
   SET granted = least($5::int, greatest(1, ($4::int - q.leased) / 8)),
       leased = q.leased + least($5::int, greatest(1, ($4::int - q.leased) / 8))
   WHERE q.leased < $4::int
   RETURNING granted, leased`,
)

/**
 * Leases units: at most `wanted` and at most an eighth of the rest, so that leases shrink near the limit and processes
 * share the rest. The row is locked while it is counted, so the limit is never exceeded.
 * @returns undefined if nothing is left
 */
export async function leaseUnits(
  pool: Pool,
  window: QuotaWindow,
  limit: number,
  wanted: number,
): Promise<Lease | undefined> {
  const values = [window.tokenId, window.period, window.start, limit, wanted]
  const { rows } = await pool.query<Lease>({ name: lease.name, text: lease.text, values })
  return rows[0]
}

/** Returns unused units. */
export async function returnUnits(pool: Pool, window: QuotaWindow, units: number): Promise<void> {
  await pool.query(
    `UPDATE quota_windows SET leased = leased - $4
     WHERE token_id = $1 AND period = $2 AND window_start = $3 AND leased >= $4`,
    [window.tokenId, window.period, window.start, units],
  )
}
