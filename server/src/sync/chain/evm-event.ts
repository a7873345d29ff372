import { type Fault, fault, wrongFormat } from '../../texts/faults.ts'
import { z } from 'zod'
import type { Reading } from '../reading.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { chain, evmAddress, logs, units } from '../source-settings.ts'
import { eventHolders, firstEventHolders } from './event-holders.ts'
import { EventSignatureError, type EventParameter, isNumeric, parseEvent } from './event-signature.ts'

const namesOf = (parameters: EventParameter[]) => parameters.map(({ name }) => name)

const schema = z
  .strictObject({
    ...chain,
    ...logs,
    kind: z.literal('EVM_EVENT'),
    contract: evmAddress,
    /** The event in Solidity syntax. */
    event: z.string().max(1_000),
    /** The name of the parameter that contains the address of the member. */
    member: z.string().max(200),
    /** The name of the parameter that contains the amount. `minimum`, and `minAmount` of rules, need it. */
    amount: z.string().max(200).optional(),
    /** The source ignores logs with a smaller amount, in base units. */
    minimum: units.optional(),
  })
  .superRefine(({ event: text, member, amount, minimum }, context) => {
    const refuse = (path: string, message: string, params: Fault) =>
      context.addIssue({ code: 'custom', path: [path], message, params })
    try {
      const { parameters } = parseEvent(text)
      const addresses = namesOf(parameters.filter(({ type }) => type === 'address'))
      const numbers = namesOf(parameters.filter(isNumeric))
      if (addresses.length === 0)
        refuse('event', 'must have a parameter of the type address, which names the member', fault('no_address'))
      else if (!addresses.includes(member))
        refuse(
          'member',
          `must be the name of an address parameter of the event: ${addresses.join(', ')}`,
          fault('not_one_of', { allowed: addresses }),
        )
      if (amount !== undefined && numbers.length === 0)
        refuse('amount', 'must be absent, because no parameter of the event is a number', fault('no_number'))
      else if (amount !== undefined && !numbers.includes(amount))
        refuse(
          'amount',
          `must be the name of a parameter of the event that is a number: ${numbers.join(', ')}`,
          fault('not_one_of', { allowed: numbers }),
        )
    } catch (error) {
      if (!(error instanceof EventSignatureError)) throw error
      refuse('event', error.message, wrongFormat('event'))
    }
    if (minimum !== undefined && amount === undefined)
      refuse('minimum', 'requires `amount`, the name of a parameter that is a number', fault('needs_amount'))
  })

const eventsToFollow = ({ rpcUrl, headers, event, ...source }: z.output<typeof schema>) => ({
  ...source,
  node: { url: rpcUrl, headers },
  event: parseEvent(event),
})

export const evmEvent = sourceKind({
  schema,
  credType: 'EVM_ADDRESS',
  host: ({ rpcUrl }) => hostOf(rpcUrl),
  list: (reading: Reading, source, credentialId) => eventHolders(reading, credentialId, eventsToFollow(source)),
  sample: (reading, source) => firstEventHolders(reading, eventsToFollow(source)),
})
