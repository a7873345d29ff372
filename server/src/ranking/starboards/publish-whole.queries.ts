import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { PERIODS } from './changes.queries.ts'
import { firstPlaces, validAt } from './entries.queries.ts'
import { type CurrentRanking, previousVersion } from './refresh.queries.ts'

export interface PublishWholeInput {
  starboardId: string
  now: Date
  /** The current ranking; undefined before the first one. */
  published: CurrentRanking | undefined
  trackedUsers: number
}

/**
 * Ranks all users of the starboard as of `now` and stores the result as the next version, with a new generation of entries,
 * unless it equals the current one.
 * @returns the number of ranked users, or undefined if nothing was stored
 */
export async function publishWhole(trx: Kysely<DB>, input: PublishWholeInput): Promise<number | undefined> {
  const { starboardId, now, published, trackedUsers } = input
  await steerPlanner(trx)
  const moments = await findCompleteSampleTimes(trx, input)
  const values = [
    starboardId,
    now,
    published?.version ?? 0,
    published?.user_count ?? 0,
    published?.generation ?? 0,
    previousVersion(published) ?? 0,
    published !== undefined && published.has_newer && published.moved > 0,
    ...moments.values(),
  ]
  const statement = publishStatement(published, [...moments.keys()], scanLimit(trackedUsers))
  const { rows } = await trx.executeQuery<{ user_count: number }>(CompiledQuery.raw(statement, values))
  return rows[0]?.user_count
}

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
  { starboardId, now, trackedUsers }: PublishWholeInput,
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

/**
 * @param published without it, previous values come from the samples
 * @param whole the edges with a complete sample time, which are parameters $8 and following
 */
function publishStatement(published: CurrentRanking | undefined, whole: readonly Edge[], limit: number): string {
  const isFirst = published === undefined
  const isPrevious = published !== undefined && previousVersion(published) === published.version
  const edges = Object.keys(bounds) as Edge[]
  const at = (edge: Edge) => (whole.includes(edge) ? `$${8 + whole.indexOf(edge)}` : undefined)
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
published AS MATERIALIZED (${isPrevious ? PREVIOUS_ENTRIES : CURRENT_ENTRIES})${isFirst ? `,\n${previousFromSamples(limit)}` : ''},
fresh AS MATERIALIZED (
  SELECT standing.*, (row_number() OVER (ORDER BY standing.score DESC, standing.handle))::int AS position,
    ${isFirst ? 'previous.rank AS previous_rank, previous.score AS previous_score' : 'published.previous_rank, published.previous_score'},
    published.handle IS NULL OR (
      standing.score, standing.individual, standing.aura, standing.score_24h, standing.score_7d, standing.score_30d
    ) IS DISTINCT FROM (
      published.score, published.individual, published.aura, published.score_24h, published.score_7d, published.score_30d
    ) AS differs
  FROM standing
  LEFT JOIN published ON published.handle = standing.handle
  ${isFirst ? 'LEFT JOIN previous ON previous.handle = standing.handle' : ''}
),
total AS MATERIALIZED (
  SELECT count(*)::int AS users, ((count(*) FILTER (WHERE score IS DISTINCT FROM previous_score)) + greatest($4 - count(*), 0))::int AS moved,
    count(*) <> $4 OR $7::boolean OR coalesce(bool_or(differs), false) AS differs
  FROM fresh
),
ranking AS (
  INSERT INTO starboard_rankings (starboard_id, version, generation, previous_version, ranked_at, newest_sample,
    user_count, rows_written, changed, moved)
  SELECT $1, $3::bigint + 1, $3::bigint + 1, NULL, $2, newest, users, users, 0, moved FROM total, newest WHERE differs
  RETURNING user_count
),
entries AS (
  INSERT INTO starboard_entries (starboard_id, generation, handle, from_version, score, previous_rank, previous_score,
    score_24h, score_7d, score_30d, individual, aura)
  SELECT $1, $3::bigint + 1, handle, $3::bigint + 1, score, previous_rank, previous_score,
    score_24h, score_7d, score_30d, individual, aura
  FROM fresh WHERE (SELECT differs FROM total)
),
places AS (${firstPlaces('fresh', '$3::bigint + 1', '(SELECT differs FROM total)')})
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

/** The entries of the current ranking. It is also the previous one, so all previous values are theirs. */
const PREVIOUS_ENTRIES = `
  SELECT handle, score, individual, aura, score_24h, score_7d, score_30d,
    (rank() OVER (ORDER BY descent))::int AS previous_rank, score AS previous_score
  FROM starboard_entries e WHERE starboard_id = $1 AND generation = $5 AND ${validAt('e', '$6::bigint')}`

/** The entries of the current ranking, and their previous values in the new one. */
const CURRENT_ENTRIES = `
  SELECT e.handle, e.score, e.individual, e.aura, e.score_24h, e.score_7d, e.score_30d,
    CASE WHEN e.from_version > $6 THEN e.previous_rank ELSE before.rank END AS previous_rank,
    CASE WHEN e.from_version > $6 THEN e.previous_score ELSE e.score END AS previous_score
  FROM starboard_entries e
  LEFT JOIN (
    SELECT e.handle, (rank() OVER (ORDER BY e.descent))::int AS rank FROM starboard_entries e
    WHERE e.starboard_id = $1 AND e.generation = $5 AND ${validAt('e', '$6::bigint')}
  ) AS before ON before.handle = e.handle
  WHERE e.starboard_id = $1 AND e.generation = $5 AND e.until_version IS NULL`

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
