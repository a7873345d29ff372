import { isDeepStrictEqual } from 'node:util'
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { conflict } from '../errors.ts'
import { type ApplyDependencies, openStates, storeGifts } from './apply-rules.ts'
import { evaluate, type Gift, type RuleEvent } from './evaluate.ts'
import {
  countedAmong,
  findLogLists,
  type LogList,
  type LogRun,
  logsAfter,
  type PastLog,
  readLogRuns,
  storeLogRun,
} from './logs.queries.ts'
import type { Rule, RuleOf } from './rule-kinds.ts'
import { findSpaceRules, type RuleSet } from './rule-sets.queries.ts'

/** A small number of logs, because awards of the space wait during a batch. */
const BATCH = 1_000
/** The maximum number of positions that one step reads: it also reads logs of blocks before the start of the rule. */
const MAX_POSITIONS = 50_000
/** The maximum number of logs that a request counts, because awards of the space wait until it ends. */
export const MAX_PENDING = 10_000

const isLogRule = (rule: Rule): rule is RuleOf<'log'> => rule.kind === 'log'

/** The credentials whose logs rules count. */
export const credentialsOfLogs = (rules: readonly Rule[]): string[] => [
  ...new Set(rules.filter(isLogRule).map(({ credential }) => credential)),
]

export const logEventOf = ({ ref, credentialId, address, amount, happenedAt }: PastLog): RuleEvent => ({
  kind: 'log',
  ref,
  address,
  points: 0,
  at: happenedAt.getTime(),
  credentialId,
  amount: amount === null ? undefined : BigInt(amount),
})

/**
 * Begins to count logs for rules that are new or that have another credential: logs that are stored from now on, of blocks
 * since `countsFrom`.
 */
export async function beginLogRuns(
  trx: Kysely<DB>,
  spaceId: number,
  rules: readonly Rule[],
  countsFrom: Date,
): Promise<void> {
  const before = new Map((await readLogRuns(trx, spaceId)).map((run) => [run.ruleId, run.credentialId]))
  const begun = rules.filter(isLogRule).filter(({ id, credential }) => before.get(id) !== credential)
  const lists = new Map((await findLogLists(trx, credentialsOfLogs(begun))).map((list) => [list.credentialId, list]))
  for (const { id, credential } of begun) {
    const list = lists.get(credential)
    await storeLogRun(trx, spaceId, {
      ruleId: id,
      credentialId: credential,
      listBeganAt: list?.beganAt ?? null,
      countsFrom,
      position: list?.last ?? 0,
    })
  }
}

/**
 * Awards points for the next logs of a rule. The caller has locked the space, so that a log counts once.
 * @returns undefined if the rule has counted all logs, or if the credential has no list
 */
export async function tickLogs(
  deps: ApplyDependencies,
  trx: Transaction<DB>,
  { spaceId, version }: RuleSet,
  rule: RuleOf<'log'>,
): Promise<{ joined: string[] } | undefined> {
  const [list] = await findLogLists(trx, [rule.credential])
  const stored = (await readLogRuns(trx, spaceId)).find(({ ruleId }) => ruleId === rule.id)
  if (!list || !stored) return undefined
  const run = runIn(list, stored)
  if (run.position >= list.last) return undefined
  const upTo = Math.min(list.last, run.position + MAX_POSITIONS)
  const logs = await logsAfter(trx, list, { after: run.position, upTo, since: run.countsFrom, limit: BATCH })
  const returned = logs.filter((log) => log.returned)
  const counted = await countedAmong(trx, { spaceId, ruleId: rule.id }, returned)
  const due = logs.filter(({ ref }) => !counted.has(ref))
  // The order is that of a replay.
  const events = due.map(logEventOf).toSorted((a, b) => a.at - b.at || (a.ref < b.ref ? -1 : 1))
  const states = await openStates(trx, spaceId, [rule], events)
  const gifts = events.flatMap((event) => evaluate([rule], event, states.of(event.address)))
  await states.store()
  // Keys of returned logs contain the number of the last replay. The replay may have reversed the award whose key has no
  // number, and a key cannot award points twice.
  const replay = returned.length > 0 ? (await findSpaceRules(trx, spaceId))?.replays || undefined : undefined
  const again = new Set(returned.map(({ ref }) => ref))
  const isAgain = ({ ref }: Gift) => again.has(ref)
  const joined = [
    ...(await storeGifts(
      deps,
      trx,
      { spaceId, version },
      gifts.filter((gift) => !isAgain(gift)),
    )),
    ...(await storeGifts(deps, trx, { spaceId, version, replay }, gifts.filter(isAgain))),
  ]
  const position = logs.length < BATCH ? upTo : (logs.at(-1)?.position ?? upTo)
  await storeLogRun(trx, spaceId, { ...run, position })
  return { joined }
}

/**
 * The position of a rule in a list. If the credential was deleted and created again, its logs have new positions, so the
 * position of the rule is 0.
 */
function runIn(list: LogList, run: LogRun): LogRun {
  if (run.listBeganAt?.getTime() === list.beganAt.getTime()) return run
  const countsFrom = run.listBeganAt && list.beganAt > run.countsFrom ? list.beganAt : run.countsFrom
  return { ...run, listBeganAt: list.beganAt, countsFrom, position: 0 }
}

/**
 * Before rules change or end, counts their logs that wait. The caller has locked the space. Logs of unchanged rules are
 * counted later. If a rule ends and too many of its logs wait, they are not counted.
 * @param next the next version; undefined to count the logs of all rules
 * @throws ApiError logs_pending if too many wait to be counted while the caller holds the lock
 */
export async function countPendingLogs(
  deps: ApplyDependencies,
  trx: Transaction<DB>,
  set: RuleSet | undefined,
  next?: readonly Rule[],
): Promise<void> {
  if (!set) return
  const changing = set.rules.filter(isLogRule).filter((rule) => !next?.some((other) => isDeepStrictEqual(other, rule)))
  if (changing.length === 0) return
  const waiting = await waitingLogs(trx, set.spaceId, changing)
  let remaining = MAX_PENDING
  for (const rule of changing) {
    const count = waiting.get(rule.id) ?? 0
    if (count > remaining) {
      if (next && !next.some(({ id }) => id === rule.id)) continue
      throw conflict(
        'logs_pending',
        `More than ${MAX_PENDING} logs wait to be counted by the rules of the space, such as ${rule.id}. Retry later`,
      )
    }
    remaining -= count
    while (await tickLogs(deps, trx, set, rule));
  }
}

/** The number of positions that a rule has not counted, by rule. */
async function waitingLogs(
  trx: Kysely<DB>,
  spaceId: number,
  rules: readonly RuleOf<'log'>[],
): Promise<Map<string, number>> {
  const lists = new Map((await findLogLists(trx, credentialsOfLogs(rules))).map((list) => [list.credentialId, list]))
  return new Map(
    (await readLogRuns(trx, spaceId)).map((run) => {
      const list = lists.get(run.credentialId)
      return [run.ruleId, list ? list.last - runIn(list, run).position : 0]
    }),
  )
}

/** The lists of logs that `rules` count. `upTo` is the position up to which all stored rules of the space have counted a list. */
export async function countedLogs(
  trx: Kysely<DB>,
  spaceId: number,
  rules: readonly Rule[],
): Promise<(LogList & { upTo: number })[]> {
  const lists = await findLogLists(trx, credentialsOfLogs(rules))
  if (lists.length === 0) return []
  const runs = await readLogRuns(trx, spaceId)
  return lists.map((list) => {
    const positions = runs
      .filter(({ credentialId }) => credentialId === list.credentialId)
      .map((run) => runIn(list, run).position)
    return { ...list, upTo: Math.min(list.last, ...positions) }
  })
}
