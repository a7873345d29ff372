import type { QueryResultRow } from 'pg'
import type { Reader, Statement, Value } from '../database/statement.ts'

/**
 * What an answer rests on: a row, which tells its version, or a time until which the answer may be repeated. While all
 * of them stand, the same question has the same answer.
 */
export type Ground = RowGround | { until: number }

interface RowGround {
  statement: Statement<Versioned>
  values: readonly Value[]
  version: string
}

/** A row that says by `version` whether anything that is read with it has changed. */
export interface Versioned extends QueryResultRow {
  version: string
}

/** Collects the grounds of one answer. It is repeatable only when every resolver that ran has named its own. */
export class Grounds {
  readonly #list: Ground[] = []
  #resolvers = 0
  #named = 0

  /** A resolver runs. */
  expect(): void {
    this.#resolvers++
  }

  /** Once by each resolver that knows them, as they were before or while it read; none when its parent's row covers it. */
  name(...grounds: readonly Ground[]): void {
    this.#named++
    this.#list.push(...grounds)
  }

  /** Undefined when the answer must not be repeated. */
  get list(): readonly Ground[] | undefined {
    return this.#named === this.#resolvers ? this.#list : undefined
  }
}

/** Whether an answer that was given on these grounds would be given now. */
export async function stillStand(grounds: readonly Ground[], reader: Reader, now: number): Promise<boolean> {
  for (const ground of grounds) if ('until' in ground && ground.until <= now) return false
  const rows: Promise<boolean>[] = []
  for (const ground of grounds) if (!('until' in ground)) rows.push(standsStill(ground, reader))
  return rows.length === 1 ? (rows[0] as Promise<boolean>) : (await Promise.all(rows)).every(Boolean)
}

function standsStill({ statement, values, version }: RowGround, reader: Reader): Promise<boolean> {
  return reader.readShared(statement, values).then(([row]) => row?.version === version)
}
