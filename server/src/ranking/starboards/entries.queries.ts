/**
 * SQL fragments for the entries of rankings. `$1` is the starboard. An entry is valid for a range of versions of its
 * generation; the other parameters are texts of SQL expressions.
 */

/** Whether an entry belongs to a version of its generation. */
export const validAt = (entry: string, version: string): string =>
  `${entry}.from_version <= ${version} AND (${entry}.until_version IS NULL OR ${entry}.until_version > ${version})`

/**
 * Whether an entry is one of this user in this generation. The sum keeps the planner away from the index of the order: it
 * expects one row of a new generation, and would read all of them.
 */
export const isOfUser = (entry: string, generation: string, handle: string): string =>
  `${entry}.handle = ${handle} AND ${entry}.generation + 0 = ${generation}`

/** A new generation has a place after each 128 users. Ranks are counted from the last place before. */
export const USERS_PER_PLACE = 128

/** A descent before all others: scores are not negative and have at most 14 digits before the point. */
export const BEFORE_ALL = -1e15

/**
 * The number of users of a version up to the key (`descent`, `handle`). The order makes the planner read the index of the
 * order, also without statistics.
 */
export const usersUpTo = (generation: string, version: string, descent: string, handle: string): string => `(
  SELECT (coalesce(place.users, 0) + (
    SELECT count(*) FROM (
      SELECT FROM starboard_entries n
      WHERE n.starboard_id = $1 AND n.generation = ${generation} AND ${validAt('n', version)}
        AND (n.descent, n.handle) > (coalesce(place.descent, ${BEFORE_ALL}), coalesce(place.handle, ''))
        AND (n.descent, n.handle) <= (${descent}, ${handle})
      ORDER BY n.descent, n.handle) AS since_place))::int
  FROM (SELECT) AS one LEFT JOIN LATERAL (
    SELECT p.users, p.descent, p.handle FROM starboard_places p
    WHERE p.starboard_id = $1 AND p.version = ${version} AND (p.descent, p.handle) <= (${descent}, ${handle})
    ORDER BY p.descent DESC, p.handle DESC LIMIT 1) AS place ON true)`

/** The rank of a score in a version. Equal scores share a rank. */
export const rankAt = (generation: string, version: string, descent: string): string =>
  `(1 + ${usersUpTo(generation, version, descent, `''`)})`

/** Stores the first places of a generation. @param ranked a relation with the position, score and handle of all users */
export const firstPlaces = (ranked: string, version: string, condition: string): string => `
  INSERT INTO starboard_places (starboard_id, version, descent, handle, users)
  SELECT $1, ${version}, -score, handle, position FROM ${ranked}
  WHERE position % ${USERS_PER_PLACE} = 0 AND ${condition}`

/**
 * Stores the places of the next version: those of a version with the changes of users before them.
 * @param changes a relation with `old_score` and `score`; NULL: the user was or is not in the ranking
 */
export const nextPlaces = (changes: string, version: string, condition: string): string => `
  INSERT INTO starboard_places (starboard_id, version, descent, handle, users)
  SELECT $1, ${version} + 1, descent, handle, users + changed FROM (
    SELECT descent, handle, users,
      (sum(joined) OVER (ORDER BY descent, handle, users NULLS FIRST ROWS UNBOUNDED PRECEDING))::int AS changed
    FROM (
      SELECT descent, handle, users, 0 AS joined FROM starboard_places WHERE starboard_id = $1 AND version = ${version}
      UNION ALL SELECT -old_score, handle, NULL, -1 FROM ${changes} WHERE old_score IS NOT NULL
      UNION ALL SELECT -score, handle, NULL, 1 FROM ${changes} WHERE score IS NOT NULL
    ) AS steps
  ) AS summed WHERE users IS NOT NULL AND ${condition}`
