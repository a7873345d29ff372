import type { QueryResultRow } from 'pg'

/** The columns of a row as PostgreSQL writes them, in the order of the select list. */
export type Fields = readonly (string | null)[]

/** A statement of the request path: written once, prepared once a connection, known to the database by its name. */
export interface Statement<Row extends QueryResultRow> {
  readonly name: string
  readonly text: string
  /** Makes a row of its fields; left out, they are read as their types say, which takes longer. */
  readonly decode?: ((fields: Fields) => Row) | undefined
  /** One short answer that many requests wait for: it does not stand in line behind pages. */
  readonly first?: boolean
}

const declared = new Map<string, Statement<QueryResultRow>>()

/** Declares a statement of the request path. @throws when another one has its name: a connection would mix them up */
export function statement<Row extends QueryResultRow>(
  name: string,
  text: string,
  decode?: (fields: Fields) => Row,
  { first = false }: { first?: boolean } = {},
): Statement<Row> {
  if (declared.has(name)) throw new Error(`two statements are called ${name}`)
  const made: Statement<Row> = { name, text, decode, first }
  declared.set(name, made)
  return made
}

/** Every statement of the request path that the loaded modules declare. */
export function declaredStatements(): readonly Statement<QueryResultRow>[] {
  return [...declared.values()]
}

/** Runs statements of the request path. */
export interface Reader {
  /** Values are numbers, texts, times, bytes, null, or arrays of numbers, texts or bytes. */
  read<Row extends QueryResultRow>(prepared: Statement<Row>, values: readonly Value[]): Promise<Row[]>
  /** As `read`, but the same question asked again in the same turn of the event loop shares the answer: nobody changes its rows. */
  readShared<Row extends QueryResultRow>(
    prepared: Statement<Row>,
    values: readonly Value[],
  ): Promise<readonly Readonly<Row>[]>
}

/** What a parameter of a statement may be. */
export type Value = number | string | Date | Buffer | null | readonly number[] | readonly string[] | readonly Buffer[]
