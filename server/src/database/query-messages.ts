import { bytesArray, numberArray, textArray } from './array-literal.ts'
import type { Value } from './statement.ts'

/** PostgreSQL documentation, 54.7 (message formats): the kinds of the messages that ask. */
const [PARSE, BIND, CLOSE, DESCRIBE, EXECUTE, SYNC] = [0x50, 0x42, 0x43, 0x44, 0x45, 0x53]
const [STATEMENT, PORTAL] = [0x53, 0x50]
const [TEXT, BINARY] = [0, 1]
const NULL = -1
/** A unit of UTF-16 takes three bytes at most. */
const MOST_BYTES_A_UNIT = 3

/**
 * Writes the messages of the extended query protocol one behind the other, all into one piece of memory: what is asked in
 * one turn of the event loop leaves as one buffer.
 */
export class QueryMessages {
  #bytes = Buffer.allocUnsafeSlow(16_384)
  #end = 0

  /** Prepares a statement. */
  parse(name: string, text: string): void {
    const start = this.#begin(PARSE)
    this.#zeroTerminated(name)
    this.#zeroTerminated(text)
    this.#int16(0) // types of the parameters: as the statement says
    this.#finish(start)
  }

  /** Forgets a prepared statement; it is no mistake when there is none. */
  close(name: string): void {
    const start = this.#begin(CLOSE)
    this.#byte(STATEMENT)
    this.#zeroTerminated(name)
    this.#finish(start)
  }

  /** Gives a prepared statement its values; rows come back as text. */
  bind(name: string, values: readonly Value[]): void {
    const start = this.#begin(BIND)
    this.#zeroTerminated('')
    this.#zeroTerminated(name)
    this.#int16(values.length)
    for (const value of values) this.#int16(Buffer.isBuffer(value) ? BINARY : TEXT)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(0) // formats of the columns: all text
    this.#finish(start)
  }

  /** Asks for the columns of what was bound last. */
  describe(): void {
    const start = this.#begin(DESCRIBE)
    this.#byte(PORTAL)
    this.#zeroTerminated('')
    this.#finish(start)
  }

  /** Runs what was bound last to its end. */
  execute(): void {
    const start = this.#begin(EXECUTE)
    this.#zeroTerminated('')
    this.#int32(0) // rows: all of them
    this.#finish(start)
  }

  /** Ends what belongs together: after a mistake the server goes on behind it. */
  sync(): void {
    this.#finish(this.#begin(SYNC))
  }

  /** Writes all of what `write` does, or nothing. @throws what it throws */
  whole(write: () => void): void {
    const start = this.#end
    try {
      write()
    } catch (error) {
      this.#end = start
      throw error
    }
  }

  /** What was written since the last call. */
  take(): Buffer {
    const written = Buffer.from(this.#bytes.subarray(0, this.#end))
    this.#end = 0
    return written
  }

  #begin(kind: number): number {
    this.#byte(kind)
    const start = this.#end
    this.#int32(0)
    return start
  }

  /** The length of a message counts itself, and not the kind. */
  #finish(start: number): void {
    this.#bytes.writeInt32BE(this.#end - start, start)
  }

  #value(value: Value): void {
    if (value === null) return this.#int32(NULL)
    if (Buffer.isBuffer(value)) {
      this.#int32(value.length)
      this.#room(value.length)
      this.#end += value.copy(this.#bytes, this.#end)
      return
    }
    const start = this.#end
    this.#int32(0)
    this.#text(spell(value))
    this.#bytes.writeInt32BE(this.#end - start - 4, start)
  }

  #zeroTerminated(text: string): void {
    this.#text(text)
    this.#byte(0)
  }

  #text(text: string): void {
    this.#room(text.length * MOST_BYTES_A_UNIT)
    this.#end += this.#bytes.write(text, this.#end)
  }

  #byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#end++] = value
  }

  #int16(value: number): void {
    this.#room(2)
    this.#end = this.#bytes.writeInt16BE(value, this.#end)
  }

  #int32(value: number): void {
    this.#room(4)
    this.#end = this.#bytes.writeInt32BE(value, this.#end)
  }

  #room(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#end + bytes))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}

/** A value as PostgreSQL reads it. */
function spell(value: Exclude<Value, null | Buffer>): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value[0] === 'string') return textArray(value as readonly string[])
  return Buffer.isBuffer(value[0]) ? bytesArray(value as readonly Buffer[]) : numberArray(value as readonly number[])
}
