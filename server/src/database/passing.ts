import { type RawBuilder, sql } from 'kysely'

/** The message (CopyTransaction.hear) that another LINES_A_MESSAGE lines have passed. */
export const PASSED = 'tell_passed'
export const LINES_A_MESSAGE = 1_024

/**
 * A condition that passes all rows and reports progress of a long statement: it sends a notice for every row whose
 * `line` is the last of 1,024. Lines are numbered from 1. They may come in any order if all of them pass.
 *
 * In an INSERT, use it outside of a sorted SELECT that ends in OFFSET 0, or lines are reported before they are sorted.
 * @param line the column that numbers the lines
 * @param place the place (`ctid`) of the row that an UPDATE changes, or lines are reported before that row is found
 */
export const passes = (line: string, place = 'NULL'): RawBuilder<boolean> =>
  sql.raw(
    `CASE WHEN ${line} & ${LINES_A_MESSAGE - 1} = ${LINES_A_MESSAGE - 1} THEN tell_passed(${place}) ELSE true END`,
  )
