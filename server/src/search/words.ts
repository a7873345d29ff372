import { type RawBuilder, sql } from 'kysely'

const WORD = /[\p{L}\p{N}]+/gu
const MAX_WORDS = 8

/** The words of a name as an index has them (migration 20261125T0710_search). */
const wordsOf = (name: string): RawBuilder<unknown> =>
  sql`to_tsvector('simple', regexp_replace(${sql.ref(name)}, '[^[:alnum:]]+', ' ', 'g'))`

/** Whether each word of a search begins a word of the name; undefined if the search has no word. */
export function matchesWords(name: string, search: string): RawBuilder<boolean> | undefined {
  const words = search.match(WORD)?.slice(0, MAX_WORDS)
  if (!words) return undefined
  const query = words.map((word) => `'${word}':*`).join(' & ')
  return sql<boolean>`${wordsOf(name)} @@ to_tsquery('simple', ${query})`
}

/** The smallest text that is greater than every text with this beginning, in the order of bytes. */
export const endOf = (beginning: string): string => `${beginning}\u{10FFFF}`
