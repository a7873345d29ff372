import { type RawBuilder, sql } from 'kysely'

/** What arrives (CopyTransaction.hear) when so many more lines have passed. */
export const PASSED = 'tell_passed'
export const LINES_A_MESSAGE = 1_024

/**
 * A condition that lets every row by and tells of some, so that it is known how far a long statement is: of those whose
 * `line` is the last of 1,024. Lines are numbered from 1, and all of them that pass are told of when they come in any order.
 *
 * In an INSERT it stands outside of a sorted SELECT that ends in OFFSET 0, or lines tell before they are sorted.
 * @param line the column that numbers the lines
 * @param place the place (`ctid`) of the row that an UPDATE changes, or lines tell before that is found
 */
export const passes = (line: string, place = 'NULL'): RawBuilder<boolean> =>
  sql.raw(
    `CASE WHEN ${line} & ${LINES_A_MESSAGE - 1} = ${LINES_A_MESSAGE - 1} THEN tell_passed(${place}) ELSE true END`,
  )
