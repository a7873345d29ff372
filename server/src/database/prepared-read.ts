import { type Connection, Query, type QueryResultRow } from 'pg'
import { unavailable } from '../errors.ts'
import { numberArray, textArray } from './array-literal.ts'
import type { Fields, Statement, Value } from './statement.ts'
import { afterTurn } from './turn.ts'
import { typeParsers } from './type-parsers.ts'

/** PostgreSQL appendix A: invalid_sql_statement_name. */
const UNKNOWN_STATEMENT = '26000'

type Decode = (fields: Fields) => QueryResultRow

type Settled = (error: Error | undefined, rows: QueryResultRow[]) => void

/** What a connection knows of the statements that it has run: how to read rows of those without a `decode` of their own. */
export type Decoders = Map<string, Decode>

interface Column {
  name: string
  dataTypeID: number
}

/** The driver's own class, of which its types hide what a subclass overrides. */
const DriverQuery = Query as unknown as new (text: string) => { name: string; text: string }

/**
 * One execution of a statement of the request path. The driver's own query is written for every use; this one is for
 * statements that are prepared, short and many: a statement's columns are described once a connection and not with
 * every answer, rows go from their fields to what they are used as, and statements of one turn leave in one write.
 */
export class PreparedRead extends DriverQuery {
  readonly #values: readonly Value[]
  readonly #decoders: Decoders
  readonly #settled: Settled
  #decode: Decode | undefined
  readonly #rows: QueryResultRow[] = []
  #failure: Error | undefined
  #over = false

  constructor(statement: Statement<QueryResultRow>, values: readonly Value[], decoders: Decoders, settled: Settled) {
    super(statement.text)
    this.name = statement.name
    this.#values = values
    this.#decoders = decoders
    this.#settled = settled
    this.#decode = statement.decode ?? decoders.get(statement.name)
  }

  /** Called by the driver when the statement is to be sent. @returns an error when it cannot be */
  submit(connection: Connection): Error | null {
    const { stream } = connection
    if (stream.writableCorked === 0) {
      stream.cork()
      afterTurn(() => stream.uncork())
    }
    const { name, text } = this
    const wire = connection as unknown as Wire
    if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
      wire.parse({ name, text, types: undefined })
      wire.submittedNamedStatements[name] = text
    }
    wire.bind({ portal: '', statement: name, values: this.#values, binary: false, valueMapper: spell })
    if (!this.#decode) wire.describe({ type: 'P', name: '' })
    wire.execute({ portal: '', rows: 0 })
    wire.sync()
    return null
  }

  handleRowDescription({ fields }: { fields: readonly Column[] }): void {
    this.#decode = decoderOf(fields)
    this.#decoders.set(this.name, this.#decode)
  }

  handleDataRow({ fields }: { fields: Fields }): void {
    try {
      this.#rows.push(this.#decode?.(fields) as QueryResultRow)
    } catch (error) {
      this.#failure ??= error as Error
    }
  }

  handleCommandComplete(): void {}

  handleError(error: Error & { code?: string }): void {
    // One before it was to prepare the statement and could not, which it told; the next one prepares it.
    const unprepared = error.code === UNKNOWN_STATEMENT
    this.#settle(unprepared ? unavailable(error) : error, [])
  }

  /** Once: a connection may be lost behind an error. */
  #settle(error: Error | undefined, rows: QueryResultRow[]): void {
    if (this.#over) return
    this.#over = true
    this.#settled(error, rows)
  }

  handleReadyForQuery(): void {
    this.#settle(this.#failure, this.#rows)
  }
}

/** The part of the driver's connection that its own queries use. */
interface Wire {
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(message: { name: string; text: string; types: undefined }): void
  bind(message: {
    portal: string
    statement: string
    values: readonly Value[]
    binary: boolean
    valueMapper: (value: Value) => string | Buffer | null
  }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  sync(): void
}

function decoderOf(columns: readonly Column[]): Decode {
  const names = columns.map(({ name }) => name)
  const parsers = columns.map(
    ({ dataTypeID }) => typeParsers.getTypeParser(dataTypeID, 'text') as (text: string) => unknown,
  )
  return (fields) => {
    const row: QueryResultRow = {}
    for (const [index, name] of names.entries()) {
      const text = fields[index] as string | null
      row[name] = text === null ? null : (parsers[index] as (text: string) => unknown)(text)
    }
    return row
  }
}

/** A value as PostgreSQL reads it. */
function spell(value: Value): string | Buffer | null {
  if (typeof value === 'string' || value === null || Buffer.isBuffer(value)) return value
  if (typeof value === 'number') return String(value)
  if (value instanceof Date) return value.toISOString()
  return value.every((element) => typeof element === 'number')
    ? numberArray(value)
    : textArray(value.map((element) => (Buffer.isBuffer(element) ? `\\x${element.toString('hex')}` : String(element))))
}
