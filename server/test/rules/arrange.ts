import { importRecords } from '../../src/ingest/import-records.ts'
import type { Job, JobCall } from '../../src/jobs/jobs.ts'
import { applyClaims } from '../../src/claims/apply-claims.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { applyEvents } from '../../src/ranking/awards.ts'
import type { AwardEvent } from '../../src/ranking/awards.queries.ts'
import { rulesJobs } from '../../src/rules/job.ts'
import { BY_COMMAND, readRules, setRules } from '../../src/rules/rule-sets.ts'
import type { TestService } from '../support/service.ts'

/** Helpers for the rules of one space after another. */
export function rulesFixture(
  service: Pick<TestService, 'database' | 'clock'> & { deps: Omit<TestService['deps'], 'config'> },
) {
  const { database, deps, clock } = service
  let keys = 0
  const [events, ticks] = rulesJobs({ ...deps, clock }) as [Job, Job]

  const transaction = () => database.kysely.transaction()
  const call = (): JobCall => {
    const now = clock.now()
    return { now, agreedNow: async () => now, signal: new AbortController().signal }
  }
  let spaceId = 500

  return {
    spaceId: () => spaceId,

    async newSpace(): Promise<number> {
      spaceId++
      await importRecords(deps, 'spaces', [{ spaceId, name: 'Space' }])
      return spaceId
    },
    quest: (id: string, more: object = {}) =>
      importRecords(deps, 'quests', [{ id, spaceId, name: id, type: 'Points', loyaltyPoints: 50, ...more }]),
    set: (...rules: object[]) =>
      transaction().execute((trx) =>
        setRules(
          { ...deps, clock },
          trx,
          spaceId,
          readRules({ rules: rules.map((rule, i) => ({ id: `r${i}`, description: 'A rule', ...rule })) }),
          { author: BY_COMMAND },
        ),
      ),
    award: (...awards: Partial<AwardEvent>[]) =>
      transaction().execute((trx) =>
        applyEvents(
          trx,
          spaceId,
          awards.map((award) => ({ key: `k${keys++}`, sprintId: 0, address: 'ann', points: 5, ...award })),
          clock,
        ),
      ),
    claim: async (questId: string, ...addresses: string[]) => {
      const { outcomes } = await transaction().execute((trx) =>
        applyClaims(
          trx,
          addresses.map((address) => ({ questId, address, answers: new Map() })),
          { clock, random: deps.random },
        ),
      )
      return outcomes.map(({ status }) => status)
    },
    /** Counts the events that wait. */
    count: () => events.run(call()),
    /** Runs the rules of days and lists. */
    tick: () => ticks.run(call()),
    board: async (sprintId = 0): Promise<Record<string, number>> => {
      const rows = await database.query<{ address: string; points: number }>(
        `SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = $2 ORDER BY address`,
        [spaceId, sprintId],
      )
      return Object.fromEntries(rows.map((row) => [row.address, row.points]))
    },
    entries: (columns: string, source = 'rule') =>
      database.query<Record<string, unknown>>(
        `SELECT ${columns} FROM ledger_entries WHERE space_id = $1 AND source = $2 ORDER BY version, position`,
        [spaceId, source],
      ),
    verified: async () => {
      const report = await verifyLedger(database.kysely, spaceId)
      return report && [...report.chains.first, ...report.balances.first]
    },
  }
}
