import type { Transaction } from 'kysely'
import { DAY } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { beginAwards } from '../ranking/awards.queries.ts'
import { recordVersions } from '../ranking/boards.ts'
import { lockSpace } from '../ranking/boards.queries.ts'
import { openStates, storeGifts } from './apply-rules.ts'
import { type Gift, give, isInWindow } from './evaluate.ts'
import { tickLogs } from './logs.ts'
import { dayOf } from './periods.ts'
import type { RuleOf } from './rule-kinds.ts'
import type { RuleDependencies } from './rule-sets.ts'
import { findRuleSet, type RuleSet } from './rule-sets.queries.ts'
import { findList, holdersAfter, membersAbove, noteHolders, readRun, type Run, storeRun } from './ticks.queries.ts'

/** Small, because awards of the space wait for a batch. */
const BATCH = 1_000

/** The result of a step of a rule. */
export interface Ticked {
  /** Whether the rule has more to do now. */
  more: boolean
  joined: string[]
}

const NOTHING: Ticked = { more: false, joined: [] }

/**
 * Runs the next step of the rules of a space about days, lists and logs. A step and its progress are one transaction under the
 * lock of the space, so each member gets the points once.
 * @param turn selects the first rule, so that a rule with much work does not delay the others
 */
export async function tickSpace(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  spaceId: number,
  lockWait: number,
  turn = 0,
): Promise<Ticked> {
  await beginAwards(trx, lockWait)
  await lockSpace(trx, spaceId, deps.clock)
  const now = deps.clock.now()
  const set = await findRuleSet(trx, spaceId)
  if (!set) return NOTHING
  const first = set.rules.length > 0 ? turn % set.rules.length : 0
  for (const rule of [...set.rules.slice(first), ...set.rules.slice(0, first)]) {
    const step =
      rule.kind === 'daily'
        ? await tickDaily(deps, trx, set, rule, now)
        : rule.kind === 'holder'
          ? await tickHolders(deps, trx, set, rule, now)
          : rule.kind === 'log'
            ? await tickNextLogs(deps, trx, set, rule)
            : NOTHING
    if (!step.more) continue
    await recordVersions(trx, [spaceId], deps.clock)
    return step
  }
  return NOTHING
}

async function tickNextLogs(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  set: RuleSet,
  rule: RuleOf<'log'>,
): Promise<Ticked> {
  const ticked = await tickLogs(deps, trx, set, rule)
  return ticked ? { more: true, ...ticked } : NOTHING
}

const nameOfDay = (day: number): string => new Date(day * DAY).toISOString().slice(0, 10)

/** Awards the points of a day. A day counts if the service runs in it; the first is the day after the rule was set. */
async function tickDaily(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  set: RuleSet,
  rule: RuleOf<'daily'>,
  now: number,
): Promise<Ticked> {
  const { spaceId } = set
  const today = nameOfDay(dayOf(now))
  const stored = await readRun(trx, spaceId, rule.id)
  if (!stored) await storeRun(trx, spaceId, rule.id, { ...newRun(today), done: true })
  if (!stored || (stored.done && stored.startedFor === today)) return NOTHING
  const run = stored.done ? newRun(today) : stored
  const members = isInWindow(rule, now) ? await membersOfDay(trx, spaceId, rule, run.lastAddress) : []
  if (members === undefined) return NOTHING
  const refs = members.map((_, index) => `day:${run.startedFor}:${run.given + index}`)
  return finishStep(deps, trx, set, rule, { run, members, refs, now })
}

const newRun = (startedFor: string): Run => ({ startedFor, lastAddress: '', given: 0, done: false, silent: false })

/** @returns undefined while the list is not complete */
async function membersOfDay(
  trx: Transaction<DB>,
  spaceId: number,
  { holdersOf, minPoints = 0 }: RuleOf<'daily'>,
  after: string,
): Promise<string[] | undefined> {
  if (holdersOf === undefined) return membersAbove(trx, spaceId, { minPoints, after, limit: BATCH })
  const list = await findList(trx, holdersOf)
  return list && holdersAfter(trx, holdersOf, { ...list, after, limit: BATCH })
}

/** Awards points to the new holders for a rule, after the list has changed. */
async function tickHolders(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  set: RuleSet,
  rule: RuleOf<'holder'>,
  now: number,
): Promise<Ticked> {
  const { spaceId } = set
  const list = await findList(trx, rule.credential)
  if (!list) return NOTHING
  const stored = await readRun(trx, spaceId, rule.id)
  if (stored?.done && stored.startedFor === list.state) return NOTHING
  const run = stored && !stored.done ? stored : { ...newRun(list.state), silent: !stored && !rule.existing }
  const self = { spaceId, ruleId: rule.id }
  const page = { ...list, after: run.lastAddress, limit: BATCH }
  const members = await holdersAfter(trx, rule.credential, page, self)
  await noteHolders(trx, rule.credential, self, members)
  const refs = members.map(() => `holder:${deps.random.uuid()}`)
  return finishStep(deps, trx, set, rule, { run, members, refs, now })
}

async function finishStep(
  deps: RuleDependencies,
  trx: Transaction<DB>,
  set: RuleSet,
  rule: RuleOf<'daily' | 'holder'>,
  { run, members, refs, now }: { run: Run; members: readonly string[]; refs: readonly string[]; now: number },
): Promise<Ticked> {
  const { spaceId, version } = set
  const gives = !run.silent && isInWindow(rule, now)
  const states = await openStates(
    trx,
    spaceId,
    [rule],
    members.map((address) => ({ address })),
  )
  const gifts = members.flatMap((address, index): Gift | never[] => {
    const event = { ref: refs[index] as string, address, at: now }
    return (gives ? give(rule, event, states.of(address), rule.points) : undefined) ?? []
  })
  await states.store()
  const joined = await storeGifts(deps, trx, { spaceId, version }, gifts)
  const done = members.length < BATCH
  const lastAddress = members.at(-1) ?? run.lastAddress
  await storeRun(trx, spaceId, rule.id, { ...run, lastAddress, given: run.given + members.length, done })
  return { more: true, joined }
}
