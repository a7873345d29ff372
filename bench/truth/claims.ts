import type { AnsweredClaim } from '../faults/claim-clients.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { verifyLedger } from '../../server/src/ledger/verify.ts'

/** What is wrong with stored claims, as numbers that should be 0. */
export interface ClaimFaults {
  beyondCap: number
  /** Awards without a claim, several for one claim or account, claims applied twice, points above those of the claims. */
  twice: number
  /** Claims that were acknowledged and have no row, participant, award or points. */
  lost: number
  /** Refusals that the stored data contradict. */
  wronglyRefused: number
  /** Counts that are not the number of rows, and entries of the ledger that do not lead to the board. */
  different: number
}

interface StoredClaim {
  questId: string
  address: string
  accountId: string | null
  key: string
}

/** Compares claims, participants, counts, ledger and boards with each other and with what clients were told. */
export async function judgeClaims(
  database: BenchDatabase,
  answered: readonly AnsweredClaim[],
  spaceIds: readonly number[],
): Promise<ClaimFaults> {
  const { pool } = database
  const { rows: claims } = await pool.query<StoredClaim>(
    `SELECT quest_id AS "questId", address, account_id AS "accountId", regexp_replace(key, '^.*:', '') AS key
     FROM quest_claims`,
  )
  const counts = await questCounts(database)
  const points = await pointDifferences(database)
  const orphans = await countOf(database, ORPHANS)
  const reports = await Promise.all(spaceIds.map((spaceId) => verifyLedger(database.kysely, spaceId)))
  const broken = reports.reduce((sum, report) => sum + (report?.chains.count ?? 1) + (report?.balances.count ?? 1), 0)
  const { lost, twice, wronglyRefused } = judgeAnswers(answered, claims, counts)
  return {
    beyondCap: [...counts.values()].reduce(
      (sum, { cap, claims: made }) => sum + (cap > 0 ? Math.max(0, made - cap) : 0),
      0,
    ),
    twice: twice + secondClaims(claims) + orphans + points.above,
    lost: lost + (await countOf(database, UNPAID)) + points.below,
    wronglyRefused,
    different:
      broken +
      [...counts.values()].filter(({ count, stored, claims: made }) => count !== stored || count !== made).length,
  }
}

interface QuestCounts {
  cap: number
  count: number
  stored: number
  claims: number
}

async function questCounts({ pool }: BenchDatabase): Promise<Map<string, QuestCounts>> {
  const { rows } = await pool.query<QuestCounts & { id: string }>(
    `SELECT quest_id AS id, cap, participants_count AS count,
       (SELECT count(*) FROM quest_participants p WHERE p.quest_id = q.quest_id) AS stored,
       (SELECT count(*) FROM quest_claims c WHERE c.quest_id = q.quest_id) AS claims
     FROM quests q`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const ENTRIES = `SELECT key, count(*) AS entries FROM ledger_entries WHERE source = 'quest' GROUP BY key`
const CLAIMS = `SELECT format(E'claim\\t%s\\t%s', quest_id, claim_id) AS key, points FROM quest_claims`

/** Awards of quests that no claim has, and awards beyond the first of a claim. */
const ORPHANS = `SELECT sum(entries - (c.key IS NOT NULL)::int) AS count FROM (${ENTRIES}) AS e LEFT JOIN (${CLAIMS}) AS c USING (key)`

/** Claims with points that no award has. */
const UNPAID = `SELECT count(*) FROM (${CLAIMS}) AS c LEFT JOIN (${ENTRIES}) AS e USING (key) WHERE points > 0 AND e.key IS NULL`

async function countOf({ pool }: BenchDatabase, query: string): Promise<number> {
  const { rows } = await pool.query<{ count: number | null }>(query)
  return Number(rows[0]?.count ?? 0)
}

/** Members of overall and sprint boards whose points are above or below the sum of their claims. */
async function pointDifferences({ pool }: BenchDatabase): Promise<{ above: number; below: number }> {
  const { rows } = await pool.query<{ above: number; below: number }>(
    `SELECT count(*) FILTER (WHERE found > expected) AS above, count(*) FILTER (WHERE found < expected) AS below
     FROM (
       SELECT coalesce(e.points, 0) AS found, coalesce(c.points, 0) AS expected
       FROM board_entries e FULL JOIN (
         SELECT q.space_id, board.sprint_id, c.address, sum(c.points) AS points
         FROM quest_claims c JOIN quests q USING (quest_id)
           CROSS JOIN LATERAL (SELECT 0 UNION SELECT c.sprint_id) AS board (sprint_id)
         GROUP BY 1, 2, 3
       ) AS c USING (space_id, sprint_id, address)
     ) AS members`,
  )
  return rows[0] ?? { above: 0, below: 0 }
}

/** Claims of a quest beyond the first of each account. */
function secondClaims(claims: readonly StoredClaim[]): number {
  const owned = claims.flatMap(({ questId, accountId }) => (accountId === null ? [] : `${questId} ${accountId}`))
  return owned.length - new Set(owned).size
}

function judgeAnswers(
  answered: readonly AnsweredClaim[],
  claims: readonly StoredClaim[],
  counts: ReadonlyMap<string, QuestCounts>,
): Pick<ClaimFaults, 'lost' | 'twice' | 'wronglyRefused'> {
  const byKey = new Map(claims.map((claim) => [`${claim.questId} ${claim.key}`, claim]))
  const addresses = new Map(claims.map((claim) => [`${claim.questId} ${claim.address}`, claim]))
  const accounts = new Set(claims.map(({ questId, accountId }) => `${questId} ${accountId}`))
  const faults = { lost: 0, twice: 0, wronglyRefused: 0 }
  for (const { questId, key, address, accountId, answers } of answered) {
    const stored = byKey.get(`${questId} ${key}`)
    const acknowledged = answers.some((answer) => answer === 'applied' || answer === 'duplicate')
    if (acknowledged && stored?.address !== address) faults.lost++
    if (answers.filter((answer) => answer === 'applied').length > 1) faults.twice++
    const { cap = 0, count = 0 } = counts.get(questId) ?? {}
    const taken =
      addresses.has(`${questId} ${address}`) || (accountId !== undefined && accounts.has(`${questId} ${accountId}`))
    const justified: Record<string, boolean> = {
      applied: true,
      duplicate: true,
      CAP_REACHED: cap > 0 && count >= cap,
      ALREADY_CLAIMED: taken,
    }
    // The key of a refused claim was not stored, so an answer to it cannot be both.
    if (answers.some((answer) => justified[answer] !== true || (acknowledged && answer === answer.toUpperCase())))
      faults.wronglyRefused++
  }
  return faults
}
