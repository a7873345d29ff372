import type { QueryResultRow } from 'pg'

/** The columns of a row in PostgreSQL's text format, in the order of the select list. */
export type Fields = readonly (string | null)[]

/** A read that each connection prepares once, under its name. */
export interface Statement<Row extends QueryResultRow> {
  readonly name: string
  readonly text: string
  /** Makes a row of its fields. Without it, rows are made by the types of their columns, which takes longer. */
  readonly decode?: ((fields: Fields) => Row) | undefined
  /** A short read that many requests wait for. It never waits behind other statements. */
  readonly priority?: boolean
}

const declared = new Map<string, Statement<QueryResultRow>>()

/** Declares a statement. @throws if the name is taken: connections identify statements by name */
export function statement<Row extends QueryResultRow>(
  name: string,
  text: string,
  decode?: (fields: Fields) => Row,
  { priority = false }: { priority?: boolean } = {},
): Statement<Row> {
  if (declared.has(name)) throw new Error(`two statements are called ${name}`)
  const made: Statement<Row> = { name, text, decode, priority }
  declared.set(name, made)
  return made
}

/** All statements that the loaded modules declare. */
export function declaredStatements(): readonly Statement<QueryResultRow>[] {
  return [...declared.values()]
}

export interface Reader {
  read<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]): Promise<Row[]>
  /**
   * Like `read`, but callers with the same values share one execution, which starts after the last call. They also
   * share the rows, so callers must not change them.
   */
  readShared<Row extends QueryResultRow>(
    prepared: Statement<Row>,
    values: readonly Value[],
  ): Promise<readonly Readonly<Row>[]>
}

/** A parameter of a statement. */
export type Value = number | string | Date | Buffer | null | readonly number[] | readonly string[] | readonly Buffer[]
