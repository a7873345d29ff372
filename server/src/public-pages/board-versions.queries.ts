import { type Reader, statement, type Value } from '@questboard/pg-read-pipeline'
import { DAY } from '../clock.ts'
import type { CacheValidator, Versioned } from '../graphql/cache-validators.ts'

/**
 * Quests on the page of a space: those that are open, newest first, then those that start later, by their start. On a
 * phone, more of them would push the rest of the page out of sight.
 */
export const SHOWN_QUESTS = 6

/** The space of a slug and the logo of the space, which both can change. */
const ofSlug = statement<Versioned>(
  'public-pages.space-of-slug',
  `SELECT concat_ws(' ', p.space_id, s.logo_version) AS version
   FROM space_pages p JOIN spaces s ON s.space_id = p.space_id WHERE p.slug = $1`,
)

/** The sprints, and the day of the newest recorded ranks. */
const ofBoard = statement<Versioned>(
  'public-pages.version-of-board',
  `SELECT concat_ws(' ',
     (SELECT day FROM rank_day_boards WHERE space_id = $1 AND sprint_id = $2),
     (SELECT md5(string_agg(
        concat_ws(' ', sprint_id, coalesce(start_time::text, ''), coalesce(end_time::text, ''), name),
        ',' ORDER BY sprint_id))
      FROM sprints WHERE space_id = $1)
   ) AS version`,
)

interface QuestsVersion extends Versioned {
  next: Date | null
}

/** The listed quests, and the next change of a status. */
const ofQuests = statement<QuestsVersion>(
  'public-pages.version-of-quests',
  `SELECT next, concat_ws(' ', c.version, next, (
     SELECT md5(string_agg(
       concat_ws(' ', q.quest_id, q.status, q.is_private, q.loyalty_points,
         coalesce(q.start_time::text, ''), coalesce(q.end_time::text, ''), q.name), ',' ORDER BY q.quest_id))
     FROM (
       SELECT quest_id FROM quest_listings l
       WHERE l.space_id = $1 AND l.born <= c.version AND l.died > c.version AND l.status IN ('Active', 'NotStarted')
       ORDER BY l.status, CASE l.status WHEN 'NotStarted' THEN coalesce(l.starts_at, 'infinity') END,
         CASE l.status WHEN 'Active' THEN l.created_at END DESC, l.quest_id LIMIT ${SHOWN_QUESTS}
     ) p JOIN quests q ON q.quest_id = p.quest_id
   )) AS version
   FROM quest_catalogue c, (SELECT min(next_transition_at) AS next FROM quests) n`,
)

export interface ShownBoard {
  spaceId: number
  slug: string
  logoVersion: string | null
  sprintId: number | undefined
}

/**
 * Validators for the parts of a page other than its board. Read them before the data, so that a later change makes the
 * page invalid.
 */
export async function readBoardVersions(
  reader: Reader,
  { spaceId, slug, logoVersion, sprintId = 0 }: ShownBoard,
  now: number,
): Promise<CacheValidator[]> {
  const board: Value[] = [spaceId, sprintId]
  const [[atBoard], [atQuests]] = await Promise.all([
    reader.readShared(ofBoard, board),
    reader.readShared(ofQuests, [spaceId]),
  ])
  // The days of movements begin at midnight.
  const midnight = (Math.floor(now / DAY) + 1) * DAY
  return [
    { until: Math.min(midnight, atQuests?.next?.getTime() ?? midnight) },
    {
      statement: ofSlug,
      values: [slug],
      version: logoVersion === null ? String(spaceId) : `${spaceId} ${logoVersion}`,
    },
    { statement: ofBoard, values: board, version: atBoard?.version ?? '' },
    { statement: ofQuests, values: [spaceId], version: atQuests?.version ?? '' },
  ]
}
