import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Connection } from 'pg'

/** PostgreSQL documentation, 54.7 (message formats): BindComplete, CommandComplete, DataRow. */
const [BIND_COMPLETE, COMMAND_COMPLETE, DATA_ROW] = [0x32, 0x43, 0x44]
/** The kind of a message, one byte, and its length, which counts itself and not the kind. */
const KIND_BYTES = 1
const HEADER_BYTES = 5
const FIELD_COUNT_BYTES = 2
const LENGTH_BYTES = 4
const NULL = -1
/** Up to here the bytes of every length are ASCII. */
const LONGEST_IN_RUN = 127

const ENDED = { text: 'SELECT' }

/** The part of the driver's connection that hands messages on. */
interface Wire {
  stream: Duplex
  attachListeners(stream: Pick<Duplex, 'on'>): void
  emit(event: 'dataRow', message: { fields: (string | null)[] }): boolean
  emit(event: 'commandComplete', message: typeof ENDED): boolean
}

/**
 * Reads the rows of a connection that is not open yet: a row becomes one text of which its fields are parts. The driver
 * makes a text of every field, which is most of what reading a page costs. It still reads all messages that say more than
 * that a statement was bound or has ended.
 */
export function readRowsInPlace(connection: Connection): void {
  const wire = connection as unknown as Wire
  const attachDriver = wire.attachListeners.bind(connection)
  wire.attachListeners = (stream) => {
    const others = new EventEmitter()
    attachDriver(others as unknown as Duplex)
    let rest: Buffer | undefined
    stream.on('data', (chunk: Buffer) => {
      rest = readMessages(rest ? Buffer.concat([rest, chunk]) : chunk, wire, others)
    })
    stream.on('end', () => others.emit('end'))
  }
}

/** Hands on all messages that are complete, in their order. @returns the beginning of the one that is not */
function readMessages(bytes: Buffer, wire: Wire, others: EventEmitter): Buffer | undefined {
  let at = 0
  let handedOn = 0
  while (at + HEADER_BYTES <= bytes.length) {
    const length = int32(bytes, at + KIND_BYTES) >>> 0
    if (length < LENGTH_BYTES) {
      wire.stream.destroy(new Error('the database sent what is no message of PostgreSQL'))
      return undefined
    }
    const end = at + KIND_BYTES + length
    if (end > bytes.length) break
    const kind = bytes[at]
    if (kind === DATA_ROW || kind === BIND_COMPLETE || kind === COMMAND_COMPLETE) {
      if (handedOn < at) others.emit('data', bytes.subarray(handedOn, at))
      handedOn = end
      if (kind === DATA_ROW) wire.emit('dataRow', { fields: fieldsOf(bytes, at + HEADER_BYTES) })
      // What it counts is of no use to who reads.
      else if (kind === COMMAND_COMPLETE) wire.emit('commandComplete', ENDED)
    }
    at = end
  }
  if (handedOn < at) others.emit('data', bytes.subarray(handedOn, at))
  return at === bytes.length ? undefined : bytes.subarray(at)
}

/** Fields that follow each other are cut out of one text. */
function fieldsOf(bytes: Buffer, start: number): (string | null)[] {
  const fields = new Array<string | null>(((bytes[start] as number) << 8) | (bytes[start + 1] as number))
  let at = start + FIELD_COUNT_BYTES
  for (let i = 0; i < fields.length;) {
    let length = int32(bytes, at)
    at += LENGTH_BYTES
    if (length === NULL) {
      fields[i++] = null
      continue
    }
    const first = at
    const end = endOfRun(bytes, at + length, fields.length - i - 1)
    const text = bytes.toString('utf8', first, end)
    // As long as each byte is one character, places in the one are places in the other.
    const inStep = text.length === end - first
    for (;;) {
      fields[i++] = inStep ? text.substring(at - first, at - first + length) : bytes.toString('utf8', at, at + length)
      at += length
      if (at === end) break
      length = int32(bytes, at)
      at += LENGTH_BYTES
    }
  }
  return fields
}

/**
 * Where a text ends, of at most so many fields more: before a length whose bytes may be no ASCII, as those of NULL are not.
 * One such byte, and the text and all that is made of it takes two bytes a character.
 */
function endOfRun(bytes: Buffer, end: number, more: number): number {
  for (; more > 0; more--) {
    const length = int32(bytes, end)
    if (length < 0 || length > LONGEST_IN_RUN) break
    end += LENGTH_BYTES + length
  }
  return end
}

/** `readInt32BE` looks each time whether there are as many bytes; here that is known. */
function int32(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  )
}
