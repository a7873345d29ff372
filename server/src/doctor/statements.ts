import type { ClientConfig } from 'pg'
import { leaseUnits } from '../access/quota.queries.ts'
import { findToken } from '../access/server-tokens.queries.ts'
import { insertAccount } from '../accounts/account.queries.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { rolledBack } from '../database/rolled-back.ts'
import { findSpaceAndSprint, readAfter, readFirstPage } from '../features/space/space.queries.ts'
import { countBelongings, lockBothAccounts, moveAccount } from '../identity/merge.queries.ts'
import { importRecords } from '../ingest/import-records.ts'
import { beginAwards } from '../ranking/award-events.queries.ts'
import { systemRandom } from '../random.ts'
import { applyEvents } from '../ranking/award-events.ts'
import { dueStarboards } from '../ranking/starboard-changes.queries.ts'
import { refreshStarboard } from '../ranking/starboard-refresh.ts'
import { sweepsFor } from '../schedule/sweeps.ts'
import { type Finding, ok, problem } from './finding.ts'
import { addSpace, addStarboard } from './statements.queries.ts'

type Trial = (database: Database, clock: Clock, timeout: number) => Promise<unknown>

const ADDRESS = `0x${'0'.repeat(39)}1`

/** One statement of every kind, by its name in the finding. Each runs in its own transaction. */
const trials: Readonly<Record<string, Trial>> = {
  async query(database) {
    const spaceId = await addSpace(database.kysely)
    await findToken(database, systemRandom.bytes(32))
    await leaseUnits(database.pool, { tokenId: systemRandom.uuid(), period: 'second', start: 0 }, 10, 5)
    await findSpaceAndSprint(database, spaceId, 1)
    const from = { reader: database, newestBoards: new Map<number, number>() }
    const page = await readFirstPage(from, spaceId, 0, 10)
    if (!page) throw new Error('a board that was inserted was not found')
    await readAfter(from, { spaceId, sprintId: 0, version: page.version, points: 0, address: ADDRESS, reach: 1 }, 10)
  },
  async award({ kysely }, clock, timeout) {
    const spaceId = await addSpace(kysely)
    // The first award adds a member, the second one changes its points.
    for (const key of ['first', 'second'])
      await kysely.transaction().execute(async (trx) => {
        await beginAwards(trx, timeout)
        const { outcomes } = await applyEvents(trx, spaceId, [{ key, sprintId: 0, address: ADDRESS, points: 1 }], clock)
        if (outcomes[0]?.status !== 'applied') throw new Error(`the ${key} award was not applied`)
      })
  },
  async ranking(database, clock) {
    const starboardId = await addStarboard(database.kysely)
    await dueStarboards(database.kysely, new Date(clock.now()), 0, 0)
    await refreshStarboard({ database, clock }, starboardId)
  },
  async sweep({ kysely }) {
    // Nothing is older than 1970, so no row of the installation is locked.
    for (const { task, run } of sweepsFor({ auditRetention: 0 }))
      await run(kysely, 0).catch((error: unknown) => {
        throw new Error(`${task}: ${reasonOf(error)}`, { cause: error })
      })
  },
  async import(database, clock) {
    const spaceId = await addSpace(database.kysely)
    await importRecords({ database, clock }, 'points', [{ spaceId, address: ADDRESS, points: 1, username: 'doctor' }])
  },
  async merge({ kysely }) {
    const [from, into] = [systemRandom.uuid(), systemRandom.uuid()]
    const now = new Date(0)
    for (const accountId of [from, into]) await insertAccount(kysely, { accountId, name: 'doctor', createdAt: now })
    await kysely.transaction().execute(async (trx) => {
      if (!(await lockBothAccounts(trx, from, into))) throw new Error('two accounts that were inserted were not found')
      await countBelongings(trx, from)
      await moveAccount(trx, from, into, now)
    })
  },
}

/** Runs one statement of every kind in transactions that are rolled back, and reports those that fail. */
export async function examineStatements(
  connection: ClientConfig,
  clock: Clock,
  timeout: number,
): Promise<[Finding, ...Finding[]]> {
  const name = 'Statements'
  const findings: Finding[] = []
  for (const [kind, run] of Object.entries(trials))
    await rolledBack(connection, timeout, async (database) => void (await run(database, clock, timeout))).catch(
      (error: unknown) =>
        findings.push(
          problem(
            name,
            `${kind} fails: ${reasonOf(error)}`,
            'If the tables are distributed, see docs/scale.md, "A distributed engine". Otherwise compare the schema with a new installation.',
          ),
        ),
    )
  const [first, ...more] = findings
  return first ? [first, ...more] : [ok(name, `${Object.keys(trials).join(', ')} work`)]
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
