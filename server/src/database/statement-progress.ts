import { type RawBuilder, sql } from 'kysely'

/** The notice of the SQL function `report_line` after each LINES_PER_MESSAGE lines; CopyTransaction.hear receives it. */
export const PROGRESS_NOTICE = 'tell_passed'
export const LINES_PER_MESSAGE = 1_024

const reported = (line: string, place: string) =>
  `CASE WHEN ${line} & ${LINES_PER_MESSAGE - 1} = ${LINES_PER_MESSAGE - 1} THEN report_line(${line}, ${place}) ELSE true END`

/**
 * In an UPDATE, a condition that is true for all rows and reports the progress of a long statement: it sends a notice for
 * one line in 1,024 (1,023, 2,047, …). The lines may come in any order.
 * @param line the column with the number of the line
 * @param place the `ctid` of the changed row; without it, lines would be reported before the join
 */
export const reportsProgress = (line: string, place: string): RawBuilder<boolean> => sql.raw(reported(line, place))

/**
 * The same in an INSERT, around a column that does not distribute the table. The lines come from a subquery with ORDER BY;
 * inside, lines would be reported before the sort.
 */
export const withProgress = (column: string, line = 'line'): RawBuilder<unknown> =>
  sql.raw(`CASE WHEN ${reported(line, 'NULL')} THEN ${column} END`)
