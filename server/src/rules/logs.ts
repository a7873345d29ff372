import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { type ApplyDependencies, openStates, storeGifts } from './apply-rules.ts'
import { evaluate, type RuleEvent } from './evaluate.ts'
import {
  findLogLists,
  type LogList,
  type LogRun,
  logsAfter,
  type PastLog,
  readLogRuns,
  storeLogRun,
} from './logs.queries.ts'
import type { Rule, RuleOf } from './rule-kinds.ts'
import type { RuleSet } from './rule-sets.queries.ts'

/** Few, because awards of the space wait for a batch. */
const BATCH = 1_000
/** Positions that a step passes at most, because most may be of blocks before the rule. */
const SPAN = 50_000

export const isLogRule = (rule: Rule): rule is RuleOf<'log'> => rule.kind === 'log'

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

/** Rules that are new, or that have another credential, count the logs of blocks from now on. */
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
 * Gives points for the next logs of a rule. The caller has locked the space, so that a log counts once.
 * @returns undefined if there are none
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
  const upTo = Math.min(list.last, run.position + SPAN)
  const logs = await logsAfter(trx, list, { after: run.position, upTo, since: run.countsFrom, limit: BATCH })
  // In the order of a replay.
  const events = logs.map(logEventOf).toSorted((a, b) => a.at - b.at || (a.ref < b.ref ? -1 : 1))
  const states = await openStates(trx, spaceId, [rule], events)
  const gifts = events.flatMap((event) => evaluate([rule], event, states.of(event.address)))
  await states.store()
  const joined = await storeGifts(deps, trx, { spaceId, version }, gifts)
  const position = logs.length < BATCH ? upTo : (logs.at(-1)?.position ?? upTo)
  await storeLogRun(trx, spaceId, { ...run, position })
  return { joined }
}

/** The run for a list: if the credential was deleted and created again, the positions of before mean other logs. */
function runIn(list: LogList, run: LogRun): LogRun {
  if (run.listBeganAt?.getTime() === list.beganAt.getTime()) return run
  const countsFrom = run.listBeganAt && list.beganAt > run.countsFrom ? list.beganAt : run.countsFrom
  return { ...run, listBeganAt: list.beganAt, countsFrom, position: 0 }
}

/** Counts all logs that are stored, for a space that the caller has locked. */
export async function countPendingLogs(
  deps: ApplyDependencies,
  trx: Transaction<DB>,
  set: RuleSet | undefined,
): Promise<void> {
  if (!set) return
  for (const rule of set.rules.filter(isLogRule)) while (await tickLogs(deps, trx, set, rule));
}

/** The logs that the rules of a space have counted; of a credential that they do not name, all. */
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
