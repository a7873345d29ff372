import type { QueryResultRow } from 'pg'
import type { Reader, Statement, Value } from '@questboard/pg-read-pipeline'

/**
 * A condition under which a cached response is still valid: a row has the same version, or a time has not passed. A
 * response is valid while all of its validators hold.
 */
export type CacheValidator = RowValidator | { until: number }

interface RowValidator {
  statement: Statement<Versioned>
  values: readonly Value[]
  version: string
}

/** A row with a version that changes whenever the data that is read with the row changes. */
export interface Versioned extends QueryResultRow {
  version: string
}

/** Collects the validators of one response. It can be cached only if every resolver that ran has called `add`. */
export class CacheValidators {
  readonly #validators: CacheValidator[] = []
  #started = 0
  #added = 0

  resolverStarted(): void {
    this.#started++
  }

  /**
   * Called once by each resolver that supports caching, with versions read before or together with its data. If the
   * validators of the parent's row are enough, it passes none.
   */
  add(...validators: readonly CacheValidator[]): void {
    this.#added++
    this.#validators.push(...validators)
  }

  /** All validators; undefined if a resolver has not called `add`, so the response must not be cached. */
  get allOrUndefined(): readonly CacheValidator[] | undefined {
    return this.#added === this.#started ? this.#validators : undefined
  }
}

/** Whether all validators hold now. If a time has passed, no row is read. */
export async function areValid(validators: readonly CacheValidator[], reader: Reader, now: number): Promise<boolean> {
  const rows: Promise<boolean>[] = []
  for (const validator of validators) if ('until' in validator && validator.until <= now) return false
  for (const validator of validators) if (!('until' in validator)) rows.push(isUnchanged(validator, reader))
  return rows.length === 1 ? (rows[0] as Promise<boolean>) : (await Promise.all(rows)).every(Boolean)
}

function isUnchanged({ statement, values, version }: RowValidator, reader: Reader): Promise<boolean> {
  return reader.readShared(statement, values).then(([row]) => row?.version === version)
}
