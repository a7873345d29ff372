import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/tables.ts'
import type { UploadedImage } from '../images/uploaded-image.ts'

const STARTED = 'demo-started-at'
const LOADED = 'demo-loaded-at'

/** True if the database has no spaces, starboards or credentials, or if an earlier load of the demo was interrupted. */
export async function mayLoadDemo(kysely: Kysely<DB>): Promise<boolean> {
  const names = await kysely.selectFrom('installation').select('name').where('name', 'in', [STARTED, LOADED]).execute()
  const has = (wanted: string) => names.some(({ name }) => name === wanted)
  if (has(LOADED)) return false
  if (has(STARTED)) return true
  for (const table of ['spaces', 'starboards', 'credentials'] as const)
    if ((await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(kysely)).rows.length > 0) return false
  return true
}

/** Whether the demo data was loaded before, even if it was deleted since then. */
export async function wasDemoLoaded(kysely: Kysely<DB>): Promise<boolean> {
  const loaded = kysely.selectFrom('installation').select('value').where('name', '=', LOADED)
  return (await loaded.executeTakeFirst()) !== undefined
}

/**
 * Runs `load` if the demo is not loaded yet. Only one instance runs it at a time.
 * @param now stored as the start time of the first attempt. A retry passes the stored time to `load`.
 */
export async function loadOnce<T>(
  kysely: Kysely<DB>,
  now: number,
  load: (startedAt: number) => Promise<T>,
): Promise<T | undefined> {
  await kysely
    .insertInto('installation')
    .values({ name: STARTED, value: new Date(now).toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return kysely.transaction().execute(async (trx) => {
    const started = trx.selectFrom('installation').select('value').where('name', '=', STARTED)
    const { value } = await started.forUpdate().executeTakeFirstOrThrow()
    const loaded = await trx.selectFrom('installation').select('value').where('name', '=', LOADED).executeTakeFirst()
    if (loaded) return undefined
    const result = await load(Date.parse(value))
    await trx
      .insertInto('installation')
      .values({ name: LOADED, value: new Date(now).toISOString() })
      .execute()
    return result
  })
}

export async function createAccount(kysely: Kysely<DB>, accountId: string, name: string, now: Date): Promise<void> {
  await kysely
    .insertInto('accounts')
    .values({ account_id: accountId, name, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await kysely
    .insertInto('usernames')
    .values({ username: name.toLowerCase(), account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Also changes the owner of the credentials that these spaces curate. */
export async function setOwnerOfSpaces(kysely: Kysely<DB>, accountId: string, spaceIds: number[]): Promise<void> {
  await kysely.updateTable('spaces').set({ owner_account_id: accountId }).where('space_id', 'in', spaceIds).execute()
  await kysely
    .updateTable('credentials')
    .set({ owner_account_id: accountId })
    .where('curator_space_id', 'in', spaceIds)
    .execute()
}

export async function setOwnerOfStarboards(
  kysely: Kysely<DB>,
  accountId: string,
  starboardIds: string[],
): Promise<void> {
  await kysely
    .updateTable('starboards')
    .set({ owner_account_id: accountId })
    .where('starboard_id', 'in', starboardIds)
    .execute()
}

/** Without statistics, the planner treats the tables as empty until autovacuum analyzes them, up to a minute later. */
export async function analyzeTables(kysely: Kysely<DB>, tables: readonly (keyof DB)[]): Promise<void> {
  await sql`ANALYZE ${sql.join(tables.map((table) => sql.table(table)))}`.execute(kysely)
}

/**
 * Inserts invented ranks of the last 30 days, for the first `places` members of each overall board and of each current
 * sprint. The points of a member increase towards today, at a rate that depends on the address.
 * @returns the number of inserted rows
 */
export async function inventRankDays(kysely: Kysely<DB>, now: Date, places: number): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO rank_days (space_id, sprint_id, address, day, rank, points)
    SELECT space_id, sprint_id, address, day, rank() OVER (PARTITION BY space_id, sprint_id, day ORDER BY points DESC), points
    FROM (
      SELECT b.space_id, b.sprint_id, m.address, (${now}::timestamptz AT TIME ZONE 'UTC')::date - age AS day,
        floor(m.points * (1 - age / 30.0 * (0.2 + abs(hashtext(m.address) % 60) / 100.0)))::int AS points
      FROM boards b
      LEFT JOIN sprints s USING (space_id, sprint_id)
      CROSS JOIN LATERAL (
        SELECT address, ~descent AS points FROM board_entries e
        WHERE e.space_id = b.space_id AND e.sprint_id = b.sprint_id
        ORDER BY descent, address LIMIT ${places}
      ) m
      CROSS JOIN generate_series(1, 30) AS age
      WHERE b.sprint_id = 0 OR (s.end_time > ${now} AND s.start_time < ${now}::timestamptz - make_interval(days => age))
    ) past ON CONFLICT DO NOTHING`.execute(kysely)
  return Number(numAffectedRows ?? 0)
}

export async function setLogo(kysely: Kysely<DB>, spaceId: number, { picture, version }: UploadedImage): Promise<void> {
  await kysely
    .updateTable('spaces')
    .set({ logo: picture, logo_version: version })
    .where('space_id', '=', spaceId)
    .execute()
}

/** Publishes the pages of spaces, each with a slug from its name. */
export async function publishSpaces(kysely: Kysely<DB>, spaceIds: number[], now: Date): Promise<void> {
  await sql`
    INSERT INTO space_pages (space_id, slug, published_at)
    SELECT space_id, trim(BOTH '-' FROM regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g')), ${now}::timestamptz
    FROM spaces WHERE space_id = ANY(${spaceIds}::int[]) ON CONFLICT DO NOTHING`.execute(kysely)
}

export async function publishStarboards(kysely: Kysely<DB>, now: Date): Promise<void> {
  await sql`
    INSERT INTO starboard_pages (starboard_id, published_at)
    SELECT starboard_id, ${now}::timestamptz FROM starboards ON CONFLICT DO NOTHING`.execute(kysely)
}

/**
 * Inserts invented numbers of members for the last 30 days. The number increases towards today, at a rate that depends on the
 * space.
 */
export async function inventMemberDays(kysely: Kysely<DB>, now: Date): Promise<void> {
  await sql`
    INSERT INTO member_days (space_id, day, members)
    SELECT space_id, (${now}::timestamptz AT TIME ZONE 'UTC')::date - age,
      floor(member_count * (1 - age / 30.0 * (0.03 + space_id % 7 / 40.0)))::int
    FROM boards CROSS JOIN generate_series(1, 30) AS age
    WHERE sprint_id = 0 ON CONFLICT DO NOTHING`.execute(kysely)
}
