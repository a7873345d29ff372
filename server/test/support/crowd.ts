import type { TestDatabase } from './database.ts'

/** The minimum number of rows in the crowded tables. */
export const CROWD = 50_000

const address = (number: string) => `'0x' || lpad(to_hex(${number}), 40, '0')`

/**
 * Fills every table of the query path with tens of thousands of rows: one large space, starboard, credential and quest
 * among many small ones. Then runs ANALYZE.
 */
export async function crowd(database: TestDatabase): Promise<void> {
  for (const sql of statements) await database.query(sql)
  await database.query('VACUUM ANALYZE')
  // On a busy machine one VACUUM does not mark all pages as all-visible, and the planner counts those pages.
  const left = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relallvisible < relpages`,
  )
  for (const { name } of left) await database.query(`VACUUM ${name}`)
}

const numbers = (count: number) => `generate_series(1, ${count}) AS n`

const statements = [
  `INSERT INTO accounts VALUES ('00000000-0000-4000-8000-000000000001', 'crowd', now())`,
  `INSERT INTO plans VALUES ('free', 10, 1000)`,
  `INSERT INTO server_tokens (token_id, account_id, name, token_hash, areas, plan, created_at)
   SELECT gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 'token', sha256(n::text::bytea), '{space}', 'free', now()
   FROM ${numbers(CROWD)}`,
  `INSERT INTO quota_windows SELECT token_id, 'day', 20000, 1, 1 FROM server_tokens`,

  `INSERT INTO spaces (space_id, name, created_at) SELECT n, 'Space', now() FROM ${numbers(CROWD)}`,
  `INSERT INTO sprints (space_id, sprint_id) SELECT n, 1 FROM ${numbers(CROWD)}`,
  `INSERT INTO space_versions SELECT n, 5 FROM ${numbers(CROWD)}`,
  `INSERT INTO boards SELECT n, 0, 1 FROM ${numbers(CROWD)}`,
  `UPDATE boards SET member_count = ${CROWD} WHERE space_id = 40`,
  `INSERT INTO board_entries (space_id, sprint_id, points, address, born, username)
   SELECT 40, 0, n / 3, ${address('n')}, 1, 'member' FROM ${numbers(CROWD)}`,
  `INSERT INTO board_past (space_id, sprint_id, descent, address, born, died, username, avatar)
   SELECT 40, 0, ~(n / 5), ${address('n')}, v, v + 1, 'member', '' FROM ${numbers(CROWD / 5)}, generate_series(0, 4) AS v`,
  `INSERT INTO board_entries (space_id, sprint_id, points, address, born, username)
   SELECT n, 0, n, ${address('n')}, 1, 'member' FROM ${numbers(CROWD)} WHERE n <> 40`,

  ...['10', '11'].map(
    (month) => `CREATE TABLE ledger.entries_2026_${month} PARTITION OF ledger_entries
      FOR VALUES FROM ('2026-${month}-01Z') TO ('2026-${Number(month) + 1}-01Z')`,
  ),
  `INSERT INTO ledger_entries (space_id, sprint_id, version, entered_at, position, points_after, sprint_after, source, address)
   SELECT 40, n % 2, n, timestamptz '2026-10-02Z' + n * interval '1 minute', m, n, n % 2, 'award', ${address('n % 1000 + 4000')}
   FROM ${numbers(CROWD)}, generate_series(1, 2) AS m`,
  `INSERT INTO other_board_changes SELECT 40, n, 1, 0, ${address('n')} FROM ${numbers(CROWD)}`,

  `INSERT INTO starboards (starboard_id, name, type, created_at) SELECT n, 'Board', 'TWITTER', now() FROM ${numbers(2_000)}`,
  `INSERT INTO starboard_users (starboard_id, handle, username) SELECT '1', 'user_' || n, 'user_' || n FROM ${numbers(CROWD)}`,
  `INSERT INTO starboard_links SELECT '1', ${address('n')}, 'user_' || n, n FROM ${numbers(CROWD)}`,
  `INSERT INTO starboard_rankings (starboard_id, version, generation, previous_version, ranked_at, newest_sample, user_count)
   SELECT b, v, 1, v - 1, now(), now(), ${CROWD}
   FROM generate_series(1, 2000) AS b, generate_series(1, 5) AS v`,
  `INSERT INTO starboard_entries (starboard_id, generation, handle, from_version, until_version, score, individual, aura)
   SELECT '1', 1, 'user_' || n, 1, CASE WHEN n % 8 = 0 THEN 5 END, ${CROWD} - n, 0, 0 FROM ${numbers(CROWD)}`,
  `INSERT INTO starboard_places (starboard_id, version, descent, handle, users)
   SELECT b, v, n * 64 - ${CROWD}, 'user_' || n * 64, n * 64
   FROM generate_series(1, 50) AS b, generate_series(1, 5) AS v, generate_series(1, ${CROWD} / 64) AS n`,

  `INSERT INTO credentials (credential_id, name, cred_type, cred_source, last_update, last_sync)
   SELECT n, 'Credential', 'EVM_ADDRESS', 'CSV', now(), now() FROM ${numbers(CROWD)}`,
  `INSERT INTO credential_holders SELECT 500, 1, ${address('n')} FROM ${numbers(CROWD)}`,
  `INSERT INTO linked_names SELECT ${address('n')}, 'EVMAddress', md5(n::text)::uuid FROM ${numbers(CROWD)}`,
  `INSERT INTO linked_names SELECT 'user_' || n, 'Discord', md5(n::text)::uuid FROM ${numbers(CROWD)}`,

  `INSERT INTO credential_holders SELECT n, 1, ${address('n')} FROM ${numbers(CROWD)} WHERE n <> 500`,

  `INSERT INTO quests (quest_id, space_id, name, type, status, auto_status, created_at, next_transition_at)
   SELECT 'GC' || n, n % 500 + 1, 'Quest', CASE n % 2 WHEN 0 THEN 'Drop' ELSE 'Points' END, 'Active', true,
     timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2030-01-01' + n * interval '1 second'
   FROM ${numbers(CROWD)}`,
  `INSERT INTO quest_listings (quest_id, born, space_id, type, status, created_at)
   SELECT quest_id, 1, space_id, type, status, created_at FROM quests`,
  `UPDATE quest_catalogue SET version = 5`,
  `INSERT INTO quest_counts SELECT n, type, 'Active', 1 FROM ${numbers(CROWD / 10)}, (VALUES ('Drop'), ('Points')) AS t (type)`,
  `INSERT INTO quest_credential_groups SELECT quest_id, 'a', 1, '', 'ALL' FROM quests`,
  `INSERT INTO quest_conditions SELECT quest_id, 'a', 1, 'holds', 500 FROM quests`,
  `INSERT INTO quest_rewards SELECT quest_id, 'a', 1, '', 'OAT', 1 FROM quests`,
]
