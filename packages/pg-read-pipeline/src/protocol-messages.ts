import { bytesArray, numberArray, textArray } from './array-literal.ts'
import type { Value } from './statement.ts'

/** PostgreSQL documentation, 54.7 (message formats): types of the messages of a client. */
const [PARSE, BIND, CLOSE, DESCRIBE, EXECUTE, SYNC] = [0x50, 0x42, 0x43, 0x44, 0x45, 0x53]
const [STATEMENT, PORTAL] = [0x53, 0x50]
const [TEXT, BINARY] = [0, 1]
const NULL = -1
/** The maximum of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3

/** Writes messages of the extended query protocol into one buffer, which is sent as a whole. */
export class ProtocolMessages {
  #bytes = Buffer.allocUnsafeSlow(16_384)
  #end = 0

  /** Prepares a statement. */
  parse(name: string, text: string): void {
    const start = this.#begin(PARSE)
    this.#zeroTerminated(name)
    this.#zeroTerminated(text)
    this.#int16(0) // parameter types: inferred from the statement
    this.#finish(start)
  }

  /** Deallocates a prepared statement, if it exists. */
  close(name: string): void {
    const start = this.#begin(CLOSE)
    this.#byte(STATEMENT)
    this.#zeroTerminated(name)
    this.#finish(start)
  }

  /** Binds values to a prepared statement; rows come in text format. */
  bind(name: string, values: readonly Value[]): void {
    const start = this.#begin(BIND)
    this.#zeroTerminated('')
    this.#zeroTerminated(name)
    this.#int16(values.length)
    for (const value of values) this.#int16(Buffer.isBuffer(value) ? BINARY : TEXT)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(0) // column formats: all text
    this.#finish(start)
  }

  /** Requests the columns of the statement that was bound last. */
  describe(): void {
    const start = this.#begin(DESCRIBE)
    this.#byte(PORTAL)
    this.#zeroTerminated('')
    this.#finish(start)
  }

  /** Executes the statement that was bound last. */
  execute(): void {
    const start = this.#begin(EXECUTE)
    this.#zeroTerminated('')
    this.#int32(0) // row limit: none
    this.#finish(start)
  }

  /** Ends a group: after an error the server continues behind it. */
  sync(): void {
    this.#finish(this.#begin(SYNC))
  }

  /** Keeps nothing of what `write` wrote if it throws. */
  atomically(write: () => void): void {
    const start = this.#end
    try {
      write()
    } catch (error) {
      this.#end = start
      throw error
    }
  }

  /** Returns the messages written since the last call. */
  take(): Buffer {
    const written = Buffer.from(this.#bytes.subarray(0, this.#end))
    this.#end = 0
    return written
  }

  #begin(type: number): number {
    this.#byte(type)
    const start = this.#end
    this.#int32(0)
    return start
  }

  /** The length of a message includes its own four bytes, and not the type. */
  #finish(start: number): void {
    this.#bytes.writeInt32BE(this.#end - start, start)
  }

  #value(value: Value): void {
    if (value === null) return this.#int32(NULL)
    if (Buffer.isBuffer(value)) {
      this.#int32(value.length)
      this.#reserve(value.length)
      this.#end += value.copy(this.#bytes, this.#end)
      return
    }
    const start = this.#end
    this.#int32(0)
    this.#text(encode(value))
    this.#bytes.writeInt32BE(this.#end - start - 4, start)
  }

  #zeroTerminated(text: string): void {
    this.#text(text)
    this.#byte(0)
  }

  #text(text: string): void {
    this.#reserve(text.length * MAX_BYTES_PER_UNIT)
    this.#end += this.#bytes.write(text, this.#end)
  }

  #byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#end++] = value
  }

  #int16(value: number): void {
    this.#reserve(2)
    this.#end = this.#bytes.writeInt16BE(value, this.#end)
  }

  #int32(value: number): void {
    this.#reserve(4)
    this.#end = this.#bytes.writeInt32BE(value, this.#end)
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#end + bytes))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}

/** The text format of a value. */
function encode(value: Exclude<Value, null | Buffer>): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value[0] === 'string') return textArray(value as readonly string[])
  return Buffer.isBuffer(value[0]) ? bytesArray(value as readonly Buffer[]) : numberArray(value as readonly number[])
}
