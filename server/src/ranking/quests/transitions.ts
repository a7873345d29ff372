import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type Clock, type MonotonicClock, SECOND } from '../../clock.ts'
import { agrees } from '../../database/clock-skew.ts'
import { allowAfterResponse } from '../../database/request-context.ts'
import type { Database } from '../../database/connection.ts'
import type { DB } from '../../database/tables.ts'
import { dueTransitions, nextTransitionAt, stateOfQuest } from '../../resolvers/quest/quest-status.ts'
import { emitStatusEvents } from './events.ts'
import { relistQuests } from './listing.ts'
import {
  earliestTransition,
  lockDueQuests,
  lockNamedQuests,
  moveQuests,
  type QuestMove,
  type RecordedTransition,
  recordTransitions,
  type StoredQuest,
} from './transitions.queries.ts'

const BATCH = 500

export interface TransitionDependencies {
  database: Pick<Database, 'kysely'>
  clock: Clock
}

/**
 * Applies and records all due transitions and updates the listings. Several processes may call it at once; each quest
 * is changed by one. Costs one index lookup if none is due. Applies none while the clocks of process and database
 * differ too much, because most transitions are final.
 * @returns the applied transitions, each with the time it was due
 */
export async function applyDueTransitions({ database, clock }: TransitionDependencies): Promise<RecordedTransition[]> {
  const applied: RecordedTransition[] = []
  const now = await timeOfDue({ database, clock })
  if (now === undefined) return applied
  for (;;) {
    const batch = await database.kysely.transaction().execute(async (trx) => {
      const due = await lockDueQuests(trx, new Date(now), BATCH)
      const transitions = await settle(trx, due, now)
      const moved = new Set(transitions.map((transition) => transition.questId))
      await relistQuests(trx, [...moved], now)
      return { size: due.length, transitions }
    })
    applied.push(...batch.transitions)
    if (batch.size < BATCH) return applied
  }
}

const HELD_POLL = SECOND / 50
const LOCK_TIMEOUT = SECOND

/**
 * Applies due transitions before quests are read: waits for transactions that are applying transitions, up to a limit,
 * after which the quest is read in its previous state. A process makes one attempt at a time.
 */
export function awaitingDueTransitions(deps: TransitionDependencies & { clock: MonotonicClock }): () => Promise<void> {
  let before: Promise<unknown> = Promise.resolve()
  let next: Promise<boolean> | undefined
  const attempt = async (): Promise<boolean> => {
    await before
    next = undefined
    const settled = applyDueTransitions(deps).then(async () => (await timeOfDue(deps)) === undefined)
    before = settled.then(
      (all) => (all ? undefined : sleep(HELD_POLL)),
      () => {}, // the callers of the attempt handle its errors
    )
    return settled
  }
  return async () => {
    const deadline = deps.clock.monotonic() + LOCK_TIMEOUT
    // A caller that arrives during an attempt needs the next one, because its transition may have become due in
    // between.
    while (!(await (next ??= allowAfterResponse(attempt))) && deps.clock.monotonic() < deadline);
  }
}

/**
 * Applies the transitions of the given quests in the caller's transaction: after a write of a quest, or of its
 * `participants_count` or `cap`. A quest with `auto_status` may be written as `Draft`; it is
 * published here. Sets `next_transition_at` and updates the listings, so call it once and last in the transaction.
 */
export async function settleQuests(
  trx: Kysely<DB>,
  questIds: readonly string[],
  now: number,
): Promise<RecordedTransition[]> {
  if (questIds.length === 0) return []
  const applied = await settle(trx, await lockNamedQuests(trx, questIds), now)
  await relistQuests(trx, questIds, now)
  return applied
}

/** The time of the next transition in milliseconds since 1970; undefined if no quest waits for one. */
export async function nextDueTransition(database: Pick<Database, 'kysely'>): Promise<number | undefined> {
  return (await earliestTransition(database.kysely))?.at.getTime()
}

/** The time up to which transitions are due and can be applied; undefined if none is. */
async function timeOfDue({ database, clock }: TransitionDependencies): Promise<number | undefined> {
  const asked = clock.now()
  const next = await earliestTransition(database.kysely)
  const now = clock.now()
  if (!next || next.at.getTime() > now) return undefined
  return agrees(clock, { asked, database: next.read.getTime(), received: now }) ? now : undefined
}

async function settle(trx: Kysely<DB>, quests: readonly StoredQuest[], now: number): Promise<RecordedTransition[]> {
  const transitions: RecordedTransition[] = []
  const moves: QuestMove[] = []
  for (const quest of quests) {
    const state = stateOfQuest(quest)
    const steps = dueTransitions(state, now, quest.entered_at?.getTime())
    const status = steps.at(-1)?.to ?? state.status
    const next = nextTransitionAt({ ...state, status })
    transitions.push(...steps.map((step) => ({ ...step, questId: quest.quest_id })))
    if (steps.length > 0 || next !== (quest.next_transition_at?.getTime() ?? null))
      moves.push({ questId: quest.quest_id, status, nextTransitionAt: next === null ? null : new Date(next) })
  }
  await moveQuests(trx, moves)
  await recordTransitions(trx, transitions, new Date(now))
  await emitStatusEvents(trx, transitions, now)
  return transitions
}
