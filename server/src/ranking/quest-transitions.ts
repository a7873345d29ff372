import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type Clock, SECOND } from '../clock.ts'
import { agrees } from '../database/agreed-time.ts'
import { beyondAnswer } from '../database/answered.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { dueTransitions, nextTransitionAt, type QuestState } from '../features/quest/quest.rules.ts'
import { tellOfStatuses } from './quest-events.ts'
import { relistQuests } from './quest-listing.ts'
import {
  earliestTransition,
  lockDueQuests,
  lockNamedQuests,
  moveQuests,
  type QuestMove,
  type RecordedTransition,
  recordTransitions,
  type StoredQuest,
} from './quest-transitions.queries.ts'

const BATCH = 500

export interface TransitionDependencies {
  database: Pick<Database, 'kysely'>
  clock: Clock
}

/**
 * Applies and records every transition that has fallen due, and keeps the list of quests in step. Several instances
 * may call it at once: each quest is moved by one of them. Costs one index look-up when nothing is due. While the clock
 * and the database's differ by too much, none is applied: most of them are final.
 * @returns what was applied, each with the time it fell due
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
const HELD_PATIENCE = SECOND

/**
 * As applyDueTransitions, for who is about to show quests: what another transaction is just moving is waited for, since
 * its time has come for this reader, too. One that takes longer shows the quest as it was before that transaction.
 * However many wait, a process makes one attempt at a time.
 */
export function awaitingDueTransitions(deps: TransitionDependencies): () => Promise<void> {
  let before: Promise<unknown> = Promise.resolve()
  let next: Promise<boolean> | undefined
  const attempt = async (): Promise<boolean> => {
    await before
    next = undefined
    const settled = applyDueTransitions(deps).then(async () => (await timeOfDue(deps)) === undefined)
    before = settled.then(
      (all) => (all ? undefined : sleep(HELD_POLL)),
      () => {}, // those hear of it for whom it was made
    )
    return settled
  }
  return async () => {
    const deadline = performance.now() + HELD_PATIENCE
    // Who comes while an attempt is under way is served by the one after it: what it waits for may be due only since.
    while (!(await (next ??= beyondAnswer(attempt))) && performance.now() < deadline);
  }
}

/**
 * Applies the transitions of the quests named inside the caller's transaction: after it has written a quest, or
 * changed its `participants_count` or `cap` (spec 3.1, CapReached). A quest with `auto_status` may be written as
 * `Draft`; it is published here. Sets `next_transition_at` and brings the list of quests in line, so call it
 * once and last in the transaction.
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

/** When the next transition falls due (milliseconds since 1970), undefined when no quest waits for one. */
export async function nextDueTransition(database: Pick<Database, 'kysely'>): Promise<number | undefined> {
  return (await earliestTransition(database.kysely))?.at.getTime()
}

/** The time by which a transition is due, and may be applied; undefined when none is. */
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
    const state = toState(quest)
    const steps = dueTransitions(state, now, quest.entered_at?.getTime())
    const status = steps.at(-1)?.to ?? state.status
    const next = nextTransitionAt({ ...state, status })
    transitions.push(...steps.map((step) => ({ ...step, questId: quest.quest_id })))
    if (steps.length > 0 || next !== (quest.next_transition_at?.getTime() ?? null))
      moves.push({ questId: quest.quest_id, status, nextTransitionAt: next === null ? null : new Date(next) })
  }
  await moveQuests(trx, moves)
  await recordTransitions(trx, transitions, new Date(now))
  await tellOfStatuses(trx, transitions, now)
  return transitions
}

function toState(quest: StoredQuest): QuestState {
  return {
    status: quest.status,
    autoStatus: quest.auto_status,
    startTime: quest.start_time?.getTime() ?? null,
    endTime: quest.end_time?.getTime() ?? null,
    cap: quest.cap,
    participantsCount: quest.participants_count,
  }
}
