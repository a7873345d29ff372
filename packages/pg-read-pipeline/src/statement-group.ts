import { type Connection, type CustomTypesConfig, type QueryResultRow, type Submittable, types as pgTypes } from 'pg'
import { ProtocolMessages } from './protocol-messages.ts'
import type { Fields, Statement, Value } from './statement.ts'

/** SQLSTATEs (PostgreSQL, appendix A): the prepared statement no longer exists, or its columns have changed. */
const FORGOTTEN = new Set(['26000', '0A000'])
/** Errors after which the same statement may succeed, including serialization failure, deadlock and lock timeout. */
const RETRYABLE = new Set([...FORGOTTEN, '40001', '40P01', '55P03'])
/** The server ends the connection. */
const CONNECTION_ENDING = new Set(['FATAL', 'PANIC'])

type Decode = (fields: Fields) => QueryResultRow

/** One execution of a statement. */
export interface Read {
  readonly statement: Statement<QueryResultRow>
  readonly values: readonly Value[]
  resolve(rows: QueryResultRow[]): void
  reject(error: Error): void
  isRetry?: boolean
}

/** The statements that are prepared on the server after it has processed all sent messages. */
export interface PreparedStatements {
  /** In the order of their last use, oldest first. */
  readonly names: Set<string>
  /** For statements without `decode`. */
  readonly decoders: Map<string, Decode>
}

/** Errors of the server have a severity; those of `pg` have none. */
type ServerError = Error & { code?: string; severity?: string }

interface Column {
  name: string
  dataTypeID: number
}

interface GroupOptions {
  /** Above this number, the least recently used statement is closed. It is larger than a group. */
  maxPrepared: number
  types?: CustomTypesConfig
  unavailable: (cause: unknown) => Error
}

const messages = new ProtocolMessages()

/**
 * Several reads in one write with one Sync: the server reads, writes and ends a transaction once for all of them.
 * Unlike the query of `pg`, it describes columns once per connection and creates rows directly from the fields. Each
 * statement has a separate snapshot, because the connection uses read committed.
 */
export class StatementGroup implements Submittable {
  readonly #requested: readonly Read[]
  readonly #sent: Read[] = []
  readonly #prepared: PreparedStatements
  readonly #options: GroupOptions
  /** Names that are prepared with this group. */
  readonly #preparing = new Set<string>()
  /** Index of the read whose rows arrive. */
  #current = 0
  #rows: QueryResultRow[] = []
  #decode: Decode | undefined
  #failure: Error | undefined
  #retries: readonly Read[] = []

  constructor(reads: readonly Read[], prepared: PreparedStatements, options: GroupOptions) {
    this.#requested = reads
    this.#prepared = prepared
    this.#options = options
  }

  /** The reads to send again when the connection is ready or closed: those that the server skipped after an error, and the failed read if it is retryable. */
  get retries(): readonly Read[] {
    return this.#retries
  }

  /** Called by `pg` when it is the group's turn. */
  submit({ stream }: Connection): void {
    for (const read of this.#requested) {
      try {
        messages.atomically(() => this.#write(read))
        this.#sent.push(read)
      } catch (error) {
        read.reject(error as Error) // a value that cannot be encoded
      }
    }
    messages.sync()
    stream.write(messages.take())
    this.#expect(0)
  }

  #write({ statement: { name, text, decode }, values }: Read): void {
    const { names, decoders } = this.#prepared
    const isNew = !names.has(name)
    if (isNew) {
      // After an error it is unknown whether the server has the statement.
      messages.close(name)
      messages.parse(name, text)
      decoders.delete(name)
    }
    messages.bind(name, values)
    if (!decode && !decoders.has(name)) messages.describe()
    messages.execute()
    // Moves it to the end, which is the most recently used.
    names.delete(name)
    names.add(name)
    if (isNew) this.#preparing.add(name)
    const [oldest] = names
    if (oldest === undefined || names.size <= this.#options.maxPrepared) return
    messages.close(oldest)
    names.delete(oldest)
  }

  #expect(index: number): void {
    this.#current = index
    this.#rows = []
    this.#failure = undefined
    const statement = this.#sent[index]?.statement
    this.#decode = statement && (statement.decode ?? this.#prepared.decoders.get(statement.name))
  }

  handleRowDescription({ fields }: { fields: readonly Column[] }): void {
    this.#decode = decoderOf(fields, this.#options.types ?? pgTypes)
    this.#prepared.decoders.set((this.#sent[this.#current] as Read).statement.name, this.#decode)
  }

  handleDataRow({ fields }: { fields: Fields }): void {
    try {
      this.#rows.push(this.#decode?.(fields) as QueryResultRow)
    } catch (error) {
      this.#failure ??= error as Error
    }
  }

  handleCommandComplete(): void {
    const read = this.#sent[this.#current] as Read
    if (this.#failure) read.reject(this.#failure)
    else read.resolve(this.#rows)
    this.#expect(this.#current + 1)
  }

  handleError(error: ServerError): void {
    const [failed, ...skipped] = this.#sent.length === 0 ? this.#requested : this.#sent.slice(this.#current)
    this.#expect(this.#sent.length)
    if (!failed) return
    if (error.severity === undefined) {
      for (const read of [failed, ...skipped]) read.reject(error)
      return
    }
    this.#forget(error)
    const isRetryable = CONNECTION_ENDING.has(error.severity) || RETRYABLE.has(error.code ?? '')
    if (isRetryable && !failed.isRetry) this.#retries = [{ ...failed, isRetry: true }, ...skipped]
    else {
      failed.reject(FORGOTTEN.has(error.code ?? '') ? this.#options.unavailable(error) : error)
      this.#retries = skipped
    }
  }

  /** Statements after the error were not prepared. If the server lost one prepared statement, all are assumed to be lost. */
  #forget({ code }: ServerError): void {
    const { names, decoders } = this.#prepared
    if (FORGOTTEN.has(code ?? '')) {
      names.clear()
      decoders.clear()
    }
    for (const name of this.#preparing) names.delete(name)
  }

  handleReadyForQuery(): void {}
}

function decoderOf(columns: readonly Column[], types: CustomTypesConfig): Decode {
  const names = columns.map(({ name }) => name)
  const parsers = columns.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as (text: string) => unknown)
  return (fields) => {
    const row: QueryResultRow = {}
    for (const [index, name] of names.entries()) {
      const text = fields[index] as string | null
      row[name] = text === null ? null : (parsers[index] as (text: string) => unknown)(text)
    }
    return row
  }
}
