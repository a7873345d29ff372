import { SourceError } from '../source-error.ts'
import type { EventParameter, EventSignature } from './event-signature.ts'
import type { Log } from './logs.ts'

/** The value of a parameter in a log, as a word of 64 hex digits. @throws SourceError if the log does not fit the event */
function wordIn(log: Log, event: EventSignature, name: string): string {
  const indexed = event.parameters.filter((parameter) => parameter.indexed)
  const others = event.parameters.filter((parameter) => !parameter.indexed)
  if (log.topics.length !== indexed.length + 1) return misfit(event)
  const data = log.data.slice(2)
  if (data.length < others.length * 64) return misfit(event)
  const topic = indexed.findIndex((parameter) => parameter.name === name)
  if (topic >= 0) return log.topics[topic + 1]?.slice(2) ?? misfit(event)
  const place = others.findIndex((parameter) => parameter.name === name)
  return place < 0 ? misfit(event) : data.slice(place * 64, (place + 1) * 64)
}

/** @throws SourceError */
export function addressIn(log: Log, event: EventSignature, name: string): string {
  const word = wordIn(log, event, name).toLowerCase()
  return word.startsWith('0'.repeat(24)) ? `0x${word.slice(24)}` : misfit(event)
}

/** @throws SourceError */
export function numberIn(log: Log, event: EventSignature, { name, type }: EventParameter): bigint {
  const value = BigInt(`0x${wordIn(log, event, name)}`)
  const bits = Number(/\d+$/.exec(type)?.[0])
  const number = type.startsWith('u') ? value : BigInt.asIntN(256, value)
  const fitting = type.startsWith('u') ? BigInt.asUintN(bits, number) : BigInt.asIntN(bits, number)
  return number === fitting ? number : misfit(event)
}

function misfit({ canonical }: EventSignature): never {
  throw new SourceError(
    `the node returned a log that does not fit the event ${canonical}; check which of its parameters are indexed`,
  )
}
