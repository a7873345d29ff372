import type { Connection, QueryResultRow, Submittable } from 'pg'
import { unavailable } from '../errors.ts'
import { QueryMessages } from './query-messages.ts'
import { LOCK_NOT_AVAILABLE } from './sql-states.ts'
import type { Fields, Statement, Value } from './statement.ts'
import { typeParsers } from './type-parsers.ts'

/**
 * PostgreSQL appendix A: mistakes that are not the statement's own. The server has forgotten it, or its columns have
 * changed; or it met a change of the schema, or of rows on a replica, in whose way it was.
 */
const FORGOTTEN = new Set(['26000', '0A000'])
const PASSING = new Set([...FORGOTTEN, '40001', '40P01', LOCK_NOT_AVAILABLE])
/** The server ends the connection. */
const LAST_WORDS = new Set(['FATAL', 'PANIC'])

type Decode = (fields: Fields) => QueryResultRow

/** One execution of a statement, and who waits for it. */
export interface Read {
  readonly statement: Statement<QueryResultRow>
  readonly values: readonly Value[]
  resolve(rows: QueryResultRow[]): void
  reject(error: Error): void
  /** It was sent before, in vain. */
  again?: boolean
}

/** What a connection knows of the statements that it has run. */
export interface Known {
  /** Those that the server has, or will have when it reads what was sent. */
  readonly prepared: Set<string>
  /** How rows are read of those without a `decode` of their own. */
  readonly decoders: Map<string, Decode>
}

/** Without a severity it is the driver's. */
type ServerError = Error & { code?: string; severity?: string }

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
  /** Names of those that are prepared with these. */
  readonly #preparing = new Set<string>()
  /** The one that is being answered. */
  #at = 0
  #rows: QueryResultRow[] = []
  #decode: Decode | undefined
  #failure: Error | undefined
  #again: readonly Read[] = []

  constructor(asked: readonly Read[], known: Known) {
    this.#asked = asked
    this.#known = known
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
      decoders.delete(name)
    }
    messages.bind(name, values)
    if (!decode && !decoders.has(name)) messages.describe()
    messages.execute()
    if (isNew) {
      prepared.add(name)
      this.#preparing.add(name)
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
    this.#expect(this.#at + 1)
  }

  /** Of the server about one statement, or of the driver about the connection. */
  handleError(error: ServerError): void {
    const [failed, ...behind] = this.#reads.length === 0 ? this.#asked : this.#reads.slice(this.#at)
    this.#expect(this.#reads.length)
    if (!failed) return
    if (error.severity === undefined) {
      for (const read of [failed, ...behind]) read.reject(error)
      return
    }
    this.#forget(error)
    const passing = LAST_WORDS.has(error.severity) || PASSING.has(error.code ?? '')
    if (passing && !failed.again) this.#again = [{ ...failed, again: true }, ...behind]
    else {
      failed.reject(FORGOTTEN.has(error.code ?? '') ? unavailable(error) : error)
      this.#again = behind
    }
  }

  /** What this group was to prepare behind a mistake was not; and a server that has forgotten one has forgotten all. */
  #forget({ code }: ServerError): void {
    const { prepared, decoders } = this.#known
    if (FORGOTTEN.has(code ?? '')) {
      prepared.clear()
      decoders.clear()
    }
    for (const name of this.#preparing) prepared.delete(name)
  }

  handleReadyForQuery(): void {}

  /** Those to be sent once more, when the server is ready or gone: it passed over them because one before them failed. */
  leftover(): readonly Read[] {
    return this.#again
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
