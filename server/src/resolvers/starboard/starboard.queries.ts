import { type Reader, statement } from '@questboard/pg-read-pipeline'
import { BEFORE_ALL, isOfUser, rankAt, usersUpTo, validAt } from '../../ranking/starboards/entries.queries.ts'
import type { RankedScore } from './starboard.rules.ts'

export interface StarboardRow {
  id: string
  name: string
  projectName: string
  description: string
  tags: string[]
  type: string
  reward_name: string | null
  reward_description: string | null
  reward_start_time: Date | null
  reward_end_time: Date | null
}

const starboardById = statement<StarboardRow>(
  'starboard.by-id',
  `SELECT starboard_id AS id, name, project_name AS "projectName", description, tags, type,
          reward_name, reward_description, reward_start_time, reward_end_time
   FROM starboards WHERE starboard_id = $1`,
  undefined,
  { priority: true },
)

export interface RankingRow {
  version: number
  user_count: number
}

const currentRanking = statement<RankingRow>(
  'starboard.current-ranking',
  'SELECT version, user_count FROM starboard_rankings WHERE starboard_id = $1 ORDER BY version DESC LIMIT 1',
  undefined,
  { priority: true },
)

/** The values of a ranked user with the profile and the ranking's top score. */
interface UserRow extends Omit<RankedScore, 'rank'> {
  handle: string
  top_score: string
  username: string
  user_id: string
  name: string
  profile_image_url: string
  followers_count: number
  verified_type: string
}

/** A user of a page. The ranks of a page are counted from its start. */
export interface PageRow extends UserRow {
  /** Whether the previous ranking contains this entry, so that its previous rank is counted. */
  is_older: boolean
  /** The users of the previous ranking up to the start of the page. */
  previous_users: number
  /** Those with more points than the user at the start of the page. */
  previous_better: number
  /**
   * Users whose place was on this page in the previous ranking and is another one now: their number by the index of the
   * first row after their old place, as JSON.
   */
  moved_away: string | null
}

export interface RankedUserRow extends UserRow {
  position: number
  rank: number
}

const SCORES = ['score', 'score_24h', 'score_7d', 'score_30d']
const PROFILE = ['username', 'user_id', 'name', 'profile_image_url', 'followers_count', 'verified_type']
const figures = ['e.handle', ...SCORES.map((column) => `e.${column}`), ...PROFILE.map((column) => `u.${column}`)].join(
  ', ',
)

const GENERATION = '(SELECT generation FROM ranking)'
const PREVIOUS = '(SELECT previous FROM ranking)'

/** The previous version is null if the entries contain all previous ranks. */
const ranking = `ranking AS MATERIALIZED (
  SELECT generation, CASE WHEN previous_version >= generation THEN previous_version END AS previous
  FROM starboard_rankings WHERE starboard_id = $1 AND version = $2)`

const entries = `starboard_entries e JOIN starboard_users u ON u.starboard_id = e.starboard_id AND u.handle = e.handle
  WHERE e.starboard_id = $1 AND ${validAt('e', '$2')}`

const topScore = `(
  SELECT t.score FROM starboard_entries t WHERE t.starboard_id = $1 AND t.generation = ${GENERATION} AND ${validAt('t', '$2')}
  ORDER BY t.descent LIMIT 1)`

/** Zero on the first page and without a previous version. */
const sinceStart = (users: string) => `CASE WHEN ${PREVIOUS} IS NULL OR $4 = '' THEN 0 ELSE ${users} END`

const pageOfRanking = statement<PageRow>(
  'starboard.page',
  `WITH ${ranking},
  page AS MATERIALIZED (
    SELECT ${figures}, e.previous_rank, e.previous_score, e.descent, coalesce(e.from_version <= ${PREVIOUS}, false) AS is_older
    FROM ${entries} AND e.generation = ${GENERATION} AND (e.descent, e.handle) > (-$3::numeric, $4) ORDER BY e.descent, e.handle LIMIT $5
  ),
  bounds AS MATERIALIZED (
    SELECT array_agg(descent ORDER BY descent, handle) AS descents, max(descent) AS last_descent,
      (array_agg(handle ORDER BY descent, handle))[count(*)] AS last_handle FROM page
  )
  SELECT ${['handle', ...SCORES, ...PROFILE, 'previous_rank', 'previous_score', 'is_older'].join(', ')}, ${topScore} AS top_score,
    ${sinceStart(usersUpTo(GENERATION, PREVIOUS, '-$3::numeric', '$4'))} AS previous_users,
    ${sinceStart(usersUpTo(GENERATION, PREVIOUS, '-$3::numeric', "''"))} AS previous_better,
    CASE WHEN ${PREVIOUS} IS NOT NULL THEN (
      SELECT json_object_agg(place, users) FROM (
        SELECT width_bucket(g.descent, b.descents) AS place, count(*) AS users
        FROM bounds b CROSS JOIN LATERAL (
          SELECT e.descent FROM starboard_entries e
          WHERE e.starboard_id = $1 AND e.generation = ${GENERATION} AND ${validAt('e', PREVIOUS)} AND e.until_version <= $2
            AND (e.descent, e.handle) > (-$3::numeric, $4) AND (e.descent, e.handle) < (b.last_descent, b.last_handle)
          ORDER BY e.descent, e.handle) AS g
        GROUP BY place) AS places) END::text AS moved_away
  FROM page ORDER BY descent, handle`,
)

const userInRanking = statement<RankedUserRow>(
  'starboard.user',
  `WITH ${ranking}
  SELECT ${figures}, ${topScore} AS top_score, ${rankAt(GENERATION, '$2', 'e.descent')} AS rank,
    ${usersUpTo(GENERATION, '$2', 'e.descent', 'e.handle')} AS position,
    CASE WHEN e.from_version <= ${PREVIOUS} THEN ${rankAt(GENERATION, PREVIOUS, 'e.descent')} ELSE e.previous_rank END AS previous_rank,
    CASE WHEN e.from_version <= ${PREVIOUS} THEN e.score ELSE e.previous_score END AS previous_score
  FROM ${entries} AND ${isOfUser('e', GENERATION, '$3')}`,
)

export interface LinkedUserRow {
  username: string
  user_id: string
  is_public: boolean
  main_address: string
  individual: number
  aura: number
}

// Only users in the current ranking.
const linkedUser = statement<LinkedUserRow>(
  'starboard.linked-user',
  `SELECT u.username, u.user_id, u.is_public, k.individual, k.aura,
          (SELECT evm_address FROM starboard_links m WHERE m.starboard_id = $1 AND m.handle = l.handle
           ORDER BY linked_order LIMIT 1) AS main_address
   FROM starboard_links l
   JOIN starboard_users u ON u.starboard_id = l.starboard_id AND u.handle = l.handle
   JOIN starboard_entries k ON k.starboard_id = l.starboard_id AND k.until_version IS NULL AND ${isOfUser(
     'k',
     '(SELECT generation FROM starboard_rankings WHERE starboard_id = $1 ORDER BY version DESC LIMIT 1)',
     'l.handle',
   )}
   WHERE l.starboard_id = $1 AND l.evm_address = $2`,
)

const ownerOf = statement<{ account_id: string }>(
  'starboard.owner-of',
  'SELECT account_id FROM identity_subjects WHERE subject = $1 AND kind = $2',
)

const shownOf = statement<{ is_public: boolean }>(
  'starboard.shown-of',
  'SELECT is_public FROM account_profiles WHERE account_id = $1',
)

export async function findStarboard(reader: Reader, id: string): Promise<StarboardRow | undefined> {
  return (await reader.readShared(starboardById, [id]))[0]
}

/** The current ranking; undefined before the first one. */
export async function findCurrentRanking(reader: Reader, starboardId: string): Promise<RankingRow | undefined> {
  return (await reader.readShared(currentRanking, [starboardId]))[0]
}

/** Where a page starts: after this user. */
export interface PageStart {
  score: string
  handle: string
}

/** The score is higher than all others, and the empty handle is before all others. */
const FIRST_PAGE: PageStart = { score: String(-BEFORE_ALL), handle: '' }

/** The users of a ranking after the start of a page, best first. */
export async function readRanking(
  reader: Reader,
  starboardId: string,
  version: number,
  start: PageStart | undefined,
  limit: number,
): Promise<PageRow[]> {
  const { score, handle } = start ?? FIRST_PAGE
  return reader.read(pageOfRanking, [starboardId, version, score, handle, limit])
}

export async function findRankedUser(
  reader: Reader,
  starboardId: string,
  version: number,
  handle: string,
): Promise<RankedUserRow | undefined> {
  return (await reader.read(userInRanking, [starboardId, version, handle]))[0]
}

/** The ranked user that an address is linked to. */
export async function findLinkedUser(
  reader: Reader,
  starboardId: string,
  address: string,
): Promise<LinkedUserRow | undefined> {
  return (await reader.read(linkedUser, [starboardId, address]))[0]
}

/** The visibility that the owner of an identity has chosen; undefined without an owner or a choice. */
export async function ownersChoice(reader: Reader, kind: string, subject: string): Promise<boolean | undefined> {
  const [owner] = await reader.read(ownerOf, [subject, kind])
  return owner && (await reader.read(shownOf, [owner.account_id]))[0]?.is_public
}
