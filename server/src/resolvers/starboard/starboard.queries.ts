import { type Reader, statement } from '@questboard/pg-read-pipeline'
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

/** A ranked user with profile and the ranking's top score. */
export interface RankedUserRow extends RankedScore {
  position: number
  top_score: string
  username: string
  user_id: string
  name: string
  profile_image_url: string
  followers_count: number
  verified_type: string
}

const rankedUser = `
  SELECT k.position, k.rank, k.score, k.previous_rank, k.previous_score, k.score_24h, k.score_7d, k.score_30d,
         (SELECT score FROM starboard_ranks WHERE starboard_id = $1 AND version = $2 AND position = 1) AS top_score,
         u.username, u.user_id, u.name, u.profile_image_url, u.followers_count, u.verified_type
  FROM starboard_ranks k JOIN starboard_users u ON u.starboard_id = k.starboard_id AND u.handle = k.handle
  WHERE k.starboard_id = $1 AND k.version = $2`

const pageOfRanking = statement<RankedUserRow>(
  'starboard.page',
  `${rankedUser} AND k.position > $3 ORDER BY k.position LIMIT $4`,
)

const userInRanking = statement<RankedUserRow>('starboard.user', `${rankedUser} AND k.handle = $3`)

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
   JOIN starboard_ranks k ON k.starboard_id = l.starboard_id AND k.handle = l.handle
     AND k.version = (SELECT version FROM starboard_rankings WHERE starboard_id = $1 ORDER BY version DESC LIMIT 1)
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

/** The users of a ranking after a position, best first. */
export async function readRanking(
  reader: Reader,
  starboardId: string,
  version: number,
  afterPosition: number,
  limit: number,
): Promise<RankedUserRow[]> {
  return reader.read(pageOfRanking, [starboardId, version, afterPosition, limit])
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
