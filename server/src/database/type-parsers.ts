import { type CustomTypesConfig, types } from 'pg'

const INT8 = 20 // PostgreSQL's type id of bigint

/** PostgreSQL's bigint as a number: every bigint that is not an id stays below 2^53; ids are selected as text. */
function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number; select it as text`)
  return value
}

/** The parsers for the columns of every statement. */
export const typeParsers: CustomTypesConfig = {
  getTypeParser(oid, format): (text: string) => unknown {
    return Number(oid) === INT8 ? parseBigint : (types.getTypeParser(oid, format) as (text: string) => unknown)
  },
}
