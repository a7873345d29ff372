import type { Connection, QueryResultRow, Submittable } from 'pg'
import { unavailable } from '../errors.ts'
import { QueryMessages } from './query-messages.ts'
import type { Fields, Statement, Value } from './statement.ts'
import { typeParsers } from './type-parsers.ts'

/** PostgreSQL appendix A: invalid_sql_statement_name. */
const UNKNOWN_STATEMENT = '26000'

type Decode = (fields: Fields) => QueryResultRow

/** One execution of a statement, and who waits for it. */
export interface Read {
  readonly statement: Statement<QueryResultRow>
  readonly values: readonly Value[]
  resolve(rows: QueryResultRow[]): void
  reject(error: Error): void
  /** It was sent before, to a server that did not know it. */
  again?: boolean
}

/** What a connection knows of the statements that it has run. */
export interface Known {
  /** Those that the server has, or will have when it reads what was sent. */
  readonly prepared: Set<string>
  /** How rows are read of those without a `decode` of their own. */
  readonly decoders: Map<string, Decode>
}

/** Who wants to know how a group of reads comes along. */
export interface Listener {
  /** One of them was answered. */
  heard(): void
  /** Once: `again` are those that the server passed over because one before them failed. */
  ended(again: readonly Read[]): void
}

interface Column {
  name: string
  dataTypeID: number
}

const messages = new QueryMessages()

/**
 * The reads of one turn of the event loop on one connection, sent as one buffer and answered as one: the server reads,
 * writes and tidies up once for all of them. The driver's own query is written for every use; this one is for statements
 * that are prepared, short and many: columns are described once a connection and not with every answer, and rows go from
 * their fields to what they are used as. Each statement has a snapshot of its own, as the isolation level says.
 */
export class PreparedReads implements Submittable {
  readonly #asked: readonly Read[]
  /** Those that were sent. */
  readonly #reads: Read[] = []
  readonly #known: Known
  readonly #listener: Listener
  /** Names of those that are prepared with these, and where. */
  readonly #preparing = new Map<string, number>()
  /** The one that is being answered. */
  #at = 0
  #rows: QueryResultRow[] = []
  #decode: Decode | undefined
  #failure: Error | undefined
  #over = false

  constructor(asked: readonly Read[], known: Known, listener: Listener) {
    this.#asked = asked
    this.#known = known
    this.#listener = listener
  }

  /** Called by the driver when the statements are to be sent. */
  submit({ stream }: Connection): void {
    for (const read of this.#asked) {
      try {
        messages.whole(() => this.#write(read))
        this.#reads.push(read)
      } catch (error) {
        read.reject(error as Error) // a value that cannot be spelt
      }
    }
    messages.sync()
    stream.write(messages.take())
    this.#expect(0)
  }

  #write({ statement: { name, text, decode }, values }: Read): void {
    const { prepared, decoders } = this.#known
    const isNew = !prepared.has(name)
    if (isNew) {
      // After a mistake it is not known whether the server has it.
      messages.close(name)
      messages.parse(name, text)
    }
    messages.bind(name, values)
    if (!decode && !decoders.has(name)) messages.describe()
    messages.execute()
    if (isNew) {
      prepared.add(name)
      this.#preparing.set(name, this.#reads.length)
    }
  }

  #expect(at: number): void {
    this.#at = at
    this.#rows = []
    this.#failure = undefined
    const statement = this.#reads[at]?.statement
    this.#decode = statement && (statement.decode ?? this.#known.decoders.get(statement.name))
  }

  handleRowDescription({ fields }: { fields: readonly Column[] }): void {
    this.#decode = decoderOf(fields)
    this.#known.decoders.set((this.#reads[this.#at] as Read).statement.name, this.#decode)
  }

  handleDataRow({ fields }: { fields: Fields }): void {
    try {
      this.#rows.push(this.#decode?.(fields) as QueryResultRow)
    } catch (error) {
      this.#failure ??= error as Error
    }
  }

  handleCommandComplete(): void {
    const read = this.#reads[this.#at] as Read
    if (this.#failure) read.reject(this.#failure)
    else read.resolve(this.#rows)
    this.#listener.heard()
    this.#expect(this.#at + 1)
  }

  /** Of the server about one statement, or of the driver about the connection. */
  handleError(error: Error & { code?: string; severity?: string }): void {
    if (this.#over) return
    this.#over = true
    this.#listener.ended(error.severity === undefined ? this.#rejectRest(error) : this.#afterMistake(error))
  }

  #rejectRest(error: Error): Read[] {
    const sent = this.#reads.length > 0 ? this.#reads : this.#asked
    for (const read of sent.slice(this.#at)) read.reject(error)
    return []
  }

  /** @returns those that the server has passed over */
  #afterMistake(error: Error & { code?: string }): Read[] {
    const [failed, ...behind] = this.#reads.slice(this.#at)
    const { prepared } = this.#known
    for (const [name, at] of this.#preparing) if (at >= this.#at) prepared.delete(name)
    if (!failed) return []
    const unknown = error.code === UNKNOWN_STATEMENT
    if (unknown) prepared.delete(failed.statement.name)
    if (unknown && !failed.again) return [{ ...failed, again: true }, ...behind]
    failed.reject(unknown ? unavailable(error) : error)
    return behind
  }

  handleReadyForQuery(): void {
    if (this.#over) return
    this.#over = true
    this.#listener.ended([])
  }
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
