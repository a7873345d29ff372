import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'

/**
 * The source of a new ranking's previous values: the published ranking, the previous values of that ranking (without
 * newer samples), or, for the first ranking, the samples.
 */
export type PreviousSource = 'published' | 'carried' | 'samples'

export interface PublishInput {
  starboardId: string
  now: Date
  /** The published ranking; version 0 before the first one. */
  current: { version: number; userCount: number }
  previous: PreviousSource
  trackedUsers: number
}

/**
 * Ranks the starboard as of `now` and stores the result as the next version, unless it equals the current one.
 * @returns the number of ranked users, or undefined if nothing was stored
 */
export async function publishRanking(trx: Kysely<DB>, input: PublishInput): Promise<number | undefined> {
  await steerPlanner(trx)
  const moments = await findCompleteSampleTimes(trx, input)
  const values = [input.starboardId, input.now, input.current.version, input.current.userCount, ...moments.values()]
  const { rows } = await trx.executeQuery<{ user_count: number }>(
    CompiledQuery.raw(publishStatement(input.previous, [...moments.keys()], scanLimit(input.trackedUsers)), values),
  )
  return rows[0]?.user_count
}

/** The periods that a ranking compares with. */
const PERIODS = { day: '24 hours', week: '168 hours', month: '720 hours' }
type Edge = 'latest' | keyof typeof PERIODS

const bounds: Record<Edge, string> = {
  latest: '<= $2',
  day: `<= $2::timestamptz - interval '${PERIODS.day}'`,
  week: `<= $2::timestamptz - interval '${PERIODS.week}'`,
  month: `<= $2::timestamptz - interval '${PERIODS.month}'`,
}

/**
 * The edges whose newest sample time has a sample of every user, with that time. This is the usual case and allows a
 * simpler query.
 */
async function findCompleteSampleTimes(
  trx: Kysely<DB>,
  { starboardId, now, trackedUsers }: PublishInput,
): Promise<Map<Edge, string>> {
  const edges = Object.keys(bounds) as Edge[]
  const newest = edges.map(
    (edge) => `(SELECT '${edge}' AS edge, sampled_at AS moment FROM score_samples
      WHERE starboard_id = $1 AND sampled_at ${bounds[edge]} ORDER BY sampled_at DESC LIMIT 1)`,
  )
  const { rows } = await trx.executeQuery<{ edge: Edge; moment: string }>(
    CompiledQuery.raw(
      `SELECT edge, moment::text AS moment FROM (${newest.join(' UNION ALL ')}) AS newest
       WHERE (SELECT count(*) FROM score_samples s WHERE s.starboard_id = $1 AND s.sampled_at = moment) = $3`,
      [starboardId, now, trackedUsers],
    ),
  )
  return new Map(rows.map(({ edge, moment }) => [edge, moment]))
}

/**
 * Statistics never include the newest version and lag behind an import, and a plan for "about one row" would take
 * hours. Hash and merge joins and index ranges are good regardless of statistics.
 */
async function steerPlanner(trx: Kysely<DB>): Promise<void> {
  await sql`SELECT set_config('enable_nestloop', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true), set_config('work_mem', '64MB', true)`.execute(
    trx,
  )
}

/**
 * Users are mostly sampled together, so slightly more samples than users contain the newest sample of nearly every
 * user.
 */
function scanLimit(users: number): number {
  return users + Math.ceil(users / 8)
}

/** @param whole the edges with a complete sample time, which are parameters $5 and following */
function publishStatement(previous: PreviousSource, whole: readonly Edge[], limit: number): string {
  const edges = Object.keys(bounds) as Edge[]
  const at = (edge: Edge) => (whole.includes(edge) ? `$${5 + whole.indexOf(edge)}` : undefined)
  const of = (edge: keyof typeof PERIODS) => (at(edge) ? `${edge}.score` : scoreAsOf(edge, bounds[edge]))
  return `
WITH newest AS (
  ${at('latest') ? `SELECT ${at('latest')}::timestamptz AS newest` : 'SELECT max(sampled_at) AS newest FROM score_samples WHERE starboard_id = $1 AND sampled_at <= $2'}
),
${edges.map((edge) => (at(edge) ? samplesAt(edge, at(edge) as string) : asOf(edge, bounds[edge], limit))).join(',\n')},
standing AS (
  SELECT u.handle,
    ${figures.map((figure) => `${at('latest') ? `latest.${figure}` : `coalesce(latest.${figure}, older.${figure})`} AS ${figure}`).join(',\n    ')},
    ${of('day')} AS score_24h,
    ${of('week')} AS score_7d,
    ${of('month')} AS score_30d
  FROM starboard_users u
  LEFT JOIN latest ON latest.handle = u.handle
  LEFT JOIN day ON day.handle = u.handle
  LEFT JOIN week ON week.handle = u.handle
  LEFT JOIN month ON month.handle = u.handle
  ${at('latest') ? '' : older}
  WHERE u.starboard_id = $1 AND ${at('latest') ? 'latest.handle IS NOT NULL' : '(latest.handle IS NOT NULL OR older.score IS NOT NULL)'}
),
ranked AS (
  SELECT *, row_number() OVER (ORDER BY score DESC, handle)::int AS position, rank() OVER (ORDER BY score DESC)::int AS rank
  FROM standing
),
published AS MATERIALIZED (
  SELECT * FROM starboard_ranks WHERE starboard_id = $1 AND version = $3
)${previous === 'samples' ? `,\n${previousFromSamples(limit)}` : ''},
fresh AS MATERIALIZED (
  SELECT ranked.*, ${previousColumns[previous]},
    published.handle IS NULL OR (
      ranked.position, ranked.rank, ranked.score, ranked.individual, ranked.aura,
      ranked.score_24h, ranked.score_7d, ranked.score_30d, ${previousValues[previous]}
    ) IS DISTINCT FROM (
      published.position, published.rank, published.score, published.individual, published.aura,
      published.score_24h, published.score_7d, published.score_30d, published.previous_rank, published.previous_score
    ) AS differs
  FROM ranked
  LEFT JOIN published ON published.handle = ranked.handle
  ${previous === 'samples' ? 'LEFT JOIN previous ON previous.handle = ranked.handle' : ''}
),
total AS MATERIALIZED (
  SELECT count(*)::int AS user_count, count(*) <> $4 OR coalesce(bool_or(differs), false) AS differs FROM fresh
),
ranking AS (
  INSERT INTO starboard_rankings (starboard_id, version, ranked_at, newest_sample, user_count)
  SELECT $1, $3 + 1, $2, newest, user_count FROM total, newest WHERE differs
  RETURNING user_count
),
ranks AS (
  INSERT INTO starboard_ranks (starboard_id, version, position, handle, rank, score, previous_rank, previous_score,
    score_24h, score_7d, score_30d, individual, aura)
  SELECT $1, $3 + 1, position, handle, rank, score, previous_rank, previous_score,
    score_24h, score_7d, score_30d, individual, aura
  FROM fresh WHERE (SELECT differs FROM total) ORDER BY position
)
SELECT user_count FROM ranking`
}

const figures = ['score', 'individual', 'aura']

/** The newest sample of a user that is missing in the range of the newest samples. */
const older = `LEFT JOIN LATERAL (
    SELECT s.score, s.individual, s.aura FROM score_samples s
    WHERE latest.handle IS NULL AND (SELECT more FROM latest_end)
      AND s.starboard_id = $1 AND s.handle = u.handle AND s.sampled_at <= $2
    ORDER BY s.sampled_at DESC LIMIT 1
  ) older ON true`

/** The samples of a time at which every user has one. */
function samplesAt(name: string, moment: string): string {
  return `${name} AS (
  SELECT handle, score, individual, aura FROM score_samples WHERE starboard_id = $1 AND sampled_at = ${moment}::timestamptz
)`
}

/**
 * The newest sample of every user up to a time: one index range contains nearly all of them. If `<name>_end.more` is
 * true, older samples exist, so missing users must be looked up.
 */
function asOf(name: string, bound: string, limit: number): string {
  return `${name}_scan AS MATERIALIZED (
  SELECT handle, sampled_at, score, individual, aura FROM score_samples
  WHERE starboard_id = $1 AND sampled_at ${bound} ORDER BY sampled_at DESC LIMIT ${limit}
),
${name}_end AS MATERIALIZED (SELECT count(*) >= ${limit} AS more FROM ${name}_scan),
${name} AS (SELECT DISTINCT ON (handle) * FROM ${name}_scan ORDER BY handle, sampled_at DESC)`
}

function scoreAsOf(name: string, bound: string): string {
  return `coalesce(${name}.score, CASE WHEN (SELECT more FROM ${name}_end) THEN (
      SELECT s.score FROM score_samples s WHERE s.starboard_id = $1 AND s.handle = u.handle AND s.sampled_at ${bound}
      ORDER BY s.sampled_at DESC LIMIT 1) END)`
}

const previousValues: Record<PreviousSource, string> = {
  published: 'published.rank, published.score',
  carried: 'published.previous_rank, published.previous_score',
  samples: 'previous.rank, previous.score',
}

const previousColumns: Record<PreviousSource, string> = {
  published: 'published.rank AS previous_rank, published.score AS previous_score',
  carried: 'published.previous_rank, published.previous_score',
  samples: 'previous.rank AS previous_rank, previous.score AS previous_score',
}

/** The ranking by the samples that are older than the newest sample, for a starboard without rankings. */
const previousFromSamples = (limit: number) => `${asOf('before', '< (SELECT newest FROM newest)', limit)},
previous AS MATERIALIZED (
  SELECT handle, score, rank() OVER (ORDER BY score DESC)::int AS rank
  FROM (
    SELECT u.handle, ${scoreAsOf('before', '< (SELECT newest FROM newest)')} AS score
    FROM starboard_users u LEFT JOIN before ON before.handle = u.handle WHERE u.starboard_id = $1
  ) scored
  WHERE score IS NOT NULL
)`
