import type { Kysely, Transaction } from 'kysely'
import { SECOND } from '../clock.ts'
import { LOCK_NOT_AVAILABLE } from '../database/sql-states.ts'
import type { DB } from '../database/tables.ts'
import type { Job } from '../jobs/jobs.ts'
import { updateJoinedProfiles } from '../ranking/profile-changes.ts'
import { countEvents } from './apply-rules.ts'
import { spacesWithEvents } from './apply-rules.queries.ts'
import { MAX_RULES } from './rule-kinds.ts'
import type { RuleDependencies } from './rule-sets.ts'
import { tickSpace } from './ticks.ts'
import { tickingSpaces } from './ticks.queries.ts'

const POLL = SECOND / 2
const TICK_POLL = 10 * SECOND
const MAX_SPACES_PER_CALL = 100
/** The steps of a space before the next one has its turn: at least one for each of its rules. */
const STEPS_PER_TURN = MAX_RULES
/** A space that is locked for longer is counted at the next call. */
const LOCK_WAIT = SECOND / 2

/** Counts the events of the rules of all spaces, and runs the rules about days, lists and logs. */
export function rulesJobs(deps: RuleDependencies): Job[] {
  const { kysely } = deps.database
  return [
    {
      name: 'rules',
      asksAllNodes: true,
      async run({ signal }) {
        for (const spaceId of await spacesWithEvents(kysely, MAX_SPACES_PER_CALL))
          await eachStep(deps, signal, async (trx) => {
            const { events, joined } = await countEvents(deps, trx, spaceId, LOCK_WAIT)
            return { more: events > 0, joined }
          })
        return POLL
      },
    },
    {
      name: 'rules of days and lists',
      asksAllNodes: true,
      async run({ signal }) {
        let unfinished = false
        for (const spaceId of await tickingSpaces(kysely)) {
          const step = (trx: Transaction<DB>, turn: number) => tickSpace(deps, trx, spaceId, LOCK_WAIT, turn)
          if (await eachStep(deps, signal, step, STEPS_PER_TURN)) unfinished = true
        }
        return unfinished ? POLL : TICK_POLL
      },
    },
  ]
}

type Step = (trx: Transaction<DB>, turn: number) => Promise<{ more: boolean; joined: string[] }>

/**
 * Runs steps in separate transactions, until nothing is left to do or the space is locked.
 * @returns whether more work may be left after `most` steps
 */
async function eachStep(
  deps: RuleDependencies & { database: { kysely: Kysely<DB> } },
  signal: AbortSignal,
  step: Step,
  most = Infinity,
): Promise<boolean> {
  for (let turn = 0; turn < most; turn++) {
    if (signal.aborted) return false
    const done = await deps.database.kysely
      .transaction()
      .execute((trx) => step(trx, turn))
      .catch((error: unknown) => {
        if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return undefined
        throw error
      })
    if (!done) return false
    await updateJoinedProfiles(deps, done.joined)
    if (!done.more) return false
  }
  return true
}
