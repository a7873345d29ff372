import type { SourceContext, Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { blockTimes } from './block-times.ts'
import { addressesWithLogs, completeScan, type EventLog, storeLogs } from './event-logs.queries.ts'
import type { EventSignature } from './event-signature.ts'
import { addressIn, numberIn } from './event-values.ts'
import { anotherRun, firstLogs, followLogs, type LogsToFollow } from './follow-logs.ts'
import { hostOf } from './json-rpc.ts'
import { giveAll, ZERO_ADDRESS } from './holders.ts'
import type { Log } from './logs.ts'

export interface EventsToFollow extends Omit<LogsToFollow, 'topics'> {
  event: EventSignature
  /** The parameter with the address. */
  member: string
  /** The parameter with the amount. */
  amount?: string | undefined
  minimum?: string | undefined
}

/** Stores the new logs of an event, then passes on every address that has a log. */
export async function eventHolders(reading: Reading, credentialId: string, wanted: EventsToFollow): Promise<void> {
  const { kysely, clock } = reading
  const { contract, event, member, amount, minimum, startBlock } = wanted
  const parameters = event.parameters.map(({ type, indexed }) => [type, indexed])
  const upTo = await followLogs(reading, credentialId, filterOf(wanted), {
    scope: [
      'event',
      contract,
      event.canonical,
      parameters,
      placeOf(wanted, member),
      placeOf(wanted, amount),
      minimum,
      startBlock,
    ],
    store: async (logs, previous, next) => {
      const found = await eventLogs(reading, wanted, logs)
      return storeLogs(kysely, credentialId, found, { previous, next, now: new Date(clock.now()) })
    },
  })
  if (!(await completeScan(kysely, credentialId, upTo))) throw anotherRun()
  await giveAll(reading, (after, limit) => addressesWithLogs(kysely, credentialId, after, limit))
}

/** Passes on the addresses of the first logs. Stores nothing. */
export async function firstEventHolders(reading: Reading, wanted: EventsToFollow): Promise<false> {
  const first = (await firstLogs(reading, filterOf(wanted))).flatMap((log) => valuesOf(log, wanted) ?? [])
  await reading.give([...new Set(first.map(({ address }) => address))])
  return false
}

const filterOf = (wanted: EventsToFollow): LogsToFollow => ({ ...wanted, topics: [wanted.event.topic] })

const placeOf = ({ event }: EventsToFollow, parameter: string | undefined): number =>
  event.parameters.findIndex(({ name }) => name === parameter)

/** The logs with a member and enough of an amount, in the order of the chain. */
async function eventLogs(context: SourceContext, wanted: EventsToFollow, found: readonly Log[]): Promise<EventLog[]> {
  const ordered = found.toSorted(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  )
  const numbers = new Map<string, number>()
  const logs = ordered.flatMap((log) => {
    const transaction = log.transactionHash?.toLowerCase()
    if (transaction === undefined)
      throw new SourceError(`${hostOf(wanted.node)} returned a log without its transaction`)
    // The number in the transaction, because a reorganization changes the index of the log in its block.
    const number = numbers.get(transaction) ?? 0
    numbers.set(transaction, number + 1)
    const values = valuesOf(log, wanted)
    return values ? { ...values, log, id: idOf(wanted, transaction, number) } : []
  })
  const times = await blockTimes(
    context,
    wanted.node,
    logs.map(({ log }) => log),
  )
  return logs.map(({ log, id, address, amount }) => {
    const block = Number(log.blockNumber)
    return { id, address, amount, block, at: times.get(block) ?? 0 }
  })
}

/** @returns undefined for a log that does not count */
function valuesOf(
  log: Log,
  { event, member, amount: amountName, minimum }: EventsToFollow,
): Pick<EventLog, 'address' | 'amount'> | undefined {
  const address = addressIn(log, event, member)
  const parameter = event.parameters.find(({ name }) => name === amountName)
  const amount = parameter && numberIn(log, event, parameter)
  if (address === ZERO_ADDRESS || (minimum !== undefined && (amount ?? 0n) < BigInt(minimum))) return undefined
  return { address, amount }
}

/** One transaction can have logs of several events and contracts, and a credential can follow one after the other. */
const idOf = ({ contract, event }: EventsToFollow, transaction: string, number: number): string =>
  [transaction.slice(2), contract.slice(2), event.topic.slice(2, 10), number].join('-')
