import type { ClientConfig } from 'pg'
import { leaseUnits } from '../access/quota.queries.ts'
import { findToken } from '../access/server-tokens.queries.ts'
import { insertAccount } from '../accounts/account.queries.ts'
import { BY_COMMAND, createBan } from '../bans/bans.ts'
import { applyClaims } from '../claims/apply-claims.ts'
import type { SystemClock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { rolledBack } from '../database/rolled-back.ts'
import { findSpaceAndSprint, readAfter, readFirstPage } from '../resolvers/space/space.queries.ts'
import { countBelongings, lockBothAccounts, moveAccount } from '../identity/merge.queries.ts'
import { recordReader } from '../ingest/check.ts'
import { importRecords } from '../ingest/import-records.ts'
import { prepareKind } from '../ingest/kinds.ts'
import { Problems } from '../ingest/problems.ts'
import { replaceHolders } from '../ingest/replace-holders.ts'
import { silentLog } from '../logging/log.ts'
import { eraseAddress } from '../personal-data/erase-address.ts'
import { beginAwards } from '../ranking/awards.queries.ts'
import { formatToken } from '../secrets/token-format.ts'
import { systemRandom } from '../random.ts'
import { applyEvents } from '../ranking/awards.ts'
import { updateOwnProfiles } from '../ranking/profile-changes.ts'
import { dueStarboards } from '../ranking/starboards/changes.queries.ts'
import { refreshStarboard } from '../ranking/starboards/refresh.ts'
import { countEvents } from '../rules/apply-rules.ts'
import { readRules, setRules } from '../rules/rule-sets.ts'
import { sweepsFor } from '../schedule/sweeps.ts'
import { type Finding, ok, problem } from './finding.ts'
import { addSpace, addStarboard, isOnBoard } from './statements.queries.ts'

type Trial = (database: Database, clock: SystemClock, timeout: number) => Promise<unknown>

/** Random, so that no ban, profile or award of the installation is about it. */
const ADDRESS = `0x${systemRandom.bytes(20).toString('hex')}`
/** No installation has this member, so the erasure locks no other rows. */
const MEMBER = 'questboard-doctor'
const QUEST = 'questboard-doctor'
const CREDENTIAL = '9223372036854775807'

/** One statement of every kind, by its name in the finding. Each runs in its own transaction. */
const trials: Readonly<Record<string, Trial>> = {
  async query(database) {
    const spaceId = await addSpace(database.kysely)
    await findToken(database, formatToken('qbs', systemRandom.bytes(32)))
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
  async claim(database, clock, timeout) {
    const spaceId = await addSpace(database.kysely)
    const deps = { database, clock, random: systemRandom, log: silentLog }
    await addQuest(deps, spaceId)
    const rules = readRules({ rules: [{ id: 'doctor', description: 'doctor', kind: 'claim', points: 1 }] })
    await database.kysely.transaction().execute((trx) => setRules(deps, trx, spaceId, rules, { author: BY_COMMAND }))
    await database.kysely.transaction().execute(async (trx) => {
      await beginAwards(trx, timeout)
      const claim = { questId: QUEST, address: ADDRESS, answers: new Map() }
      const { outcomes } = await applyClaims(trx, [claim], deps)
      if (outcomes[0]?.status !== 'applied') throw new Error('the claim was not applied')
    })
    const { events } = await database.kysely.transaction().execute((trx) => countEvents(deps, trx, spaceId, timeout))
    if (events !== 1) throw new Error('the rule did not count the claim')
  },
  async ban(database, clock, timeout) {
    const spaceId = await addSpace(database.kysely)
    await importRecords({ database, clock }, 'points', [{ spaceId, address: ADDRESS, points: 1 }])
    const request = { address: ADDRESS, spaceId, reason: 'doctor', endsAt: null }
    await createBan({ database, clock, random: systemRandom, log: silentLog }, request, BY_COMMAND, (work) =>
      database.kysely.transaction().execute(work),
    )
    // Again, because createBan hides why boards could not follow.
    await updateOwnProfiles(database.kysely, clock, [ADDRESS], timeout)
    if (await isOnBoard(database.kysely, spaceId, ADDRESS)) throw new Error('the banned member is still on the board')
  },
  async list(database, clock) {
    const credential = { id: CREDENTIAL, name: 'doctor', credType: 'EVM_ADDRESS', credSource: 'CSV' } as const
    await importRecords({ database, clock }, 'credentials', [credential])
    const problems = new Problems()
    const kind = await prepareKind('holders', database, CREDENTIAL)
    const row = recordReader(kind.fields, problems)({ address: ADDRESS }, 1)
    const rows = (async function* () {
      if (row) yield [row]
    })()
    const { holders } = await replaceHolders({ database, clock }, kind, rows, problems)
    if (holders !== 1) throw new Error('the list does not have the holder')
  },
  async erasure(database, clock) {
    const spaceId = await addSpace(database.kysely)
    await importRecords({ database, clock }, 'points', [{ spaceId, address: MEMBER, points: 1 }])
    const { boards } = await eraseAddress({ database, clock, random: systemRandom, log: silentLog }, MEMBER)
    if (boards === 0) throw new Error('the erased member is still on the board')
  },
  async ranking(database, clock) {
    const starboardId = await addStarboard(database.kysely)
    await dueStarboards(database.kysely, new Date(clock.now()), 0, 0)
    await refreshStarboard({ database, clock }, starboardId)
  },
  async sweep({ kysely }) {
    // In 1970, nothing is old and each recorded version is in the future, so the trial locks no space that has one.
    const clock = { now: () => 0 }
    for (const { task, run } of sweepsFor({ auditRetention: 0 }))
      await run(kysely, clock.now(), clock).catch((error: unknown) => {
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

/** Private, because a listed quest would hold the catalogue, for which all changes of quests wait. */
async function addQuest(deps: { database: Database; clock: SystemClock }, spaceId: number): Promise<void> {
  const quest = { id: QUEST, spaceId, name: 'doctor', type: 'Points', loyaltyPoints: 1, isPrivate: true } as const
  await importRecords(deps, 'quests', [quest])
}

/** Runs one statement of every kind in transactions that are rolled back, and reports those that fail. */
export async function examineStatements(
  connection: ClientConfig,
  clock: SystemClock,
  timeout: number,
): Promise<[Finding, ...Finding[]]> {
  const name = 'Statements'
  const findings: Finding[] = []
  for (const [kind, run] of Object.entries(trials))
    await rolledBack(connection, timeout, async (database) => void (await run(database, clock, timeout))).catch(
      (error: unknown) => findings.push(problem(name, 'statements.fail', { kind, reason: reasonOf(error) })),
    )
  const [first, ...more] = findings
  return first ? [first, ...more] : [ok(name, 'statements.ok', { kinds: Object.keys(trials).join(', ') })]
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
