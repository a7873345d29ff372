import type { Reader, Statement, Value } from '../database/statement.ts'
import { createRecent, type Recent } from '../cache/recent-cache.ts'
import type { Versioned } from './grounds.ts'

/** Rows by statement and key, as they were when they were read last. */
export type RememberedRows = Recent<Versioned>

const CAPACITY_CHARACTERS = 4_000_000
/** What a row takes beside its texts. */
const ROW_CHARACTERS = 500

export const rememberRows = (): RememberedRows =>
  createRecent(CAPACITY_CHARACTERS, (name, row) => {
    const texts = Object.values(row).map((value) => (typeof value === 'string' ? value.length : 0))
    return texts.reduce((sum, length) => sum + length, name.length + ROW_CHARACTERS)
  })

/**
 * The rows that one request begins with. One that was read before is given at once as it was then, so that what depends on
 * it is asked in the same turn, and read anew meanwhile; the answer counts only when all of them were still so.
 */
export class PresumedRows {
  readonly #reader: Reader
  readonly #remembered: RememberedRows
  readonly #trusting: boolean
  readonly #checks: Promise<boolean>[] = []

  /** @param trusting whether rows may be given before they are read */
  constructor(reader: Reader, remembered: RememberedRows, trusting: boolean) {
    this.#reader = reader
    this.#remembered = remembered
    this.#trusting = trusting
  }

  /** The row of a statement that answers one at most; nobody changes it. */
  async find<Row extends Versioned>(statement: Statement<Row>, key: Value): Promise<Readonly<Row> | undefined> {
    const name = `${statement.name} ${String(key)}`
    const known = this.#trusting ? (this.#remembered.get(name) as Row | undefined) : undefined
    const reading = this.#read(name, statement, key)
    if (!known) return reading
    this.#checks.push(
      reading.then(
        (row) => row?.version === known.version,
        () => false, // read again, and told, without trust
      ),
    )
    return known
  }

  async #read<Row extends Versioned>(name: string, statement: Statement<Row>, key: Value): Promise<Row | undefined> {
    const [row] = await this.#reader.readShared(statement, [key])
    if (!row) this.#remembered.delete(name)
    else if (this.#remembered.get(name)?.version !== row.version) this.#remembered.set(name, row)
    return row
  }

  /** Whether every row that was given was as it is. */
  async wereRight(): Promise<boolean> {
    return this.#checks.length === 0 || (await Promise.all(this.#checks)).every(Boolean)
  }
}
