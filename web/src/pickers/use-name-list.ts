import { picker as texts } from '../texts/index.ts'
import type { Source } from './source.ts'
import { useNames } from './use-choices.ts'

/** A list can have hundreds of objects, and each name is a request. */
const MAX_NAMES = 5

/** The names of the first objects, and how many more there are. */
export function useNameList(source: Source, ids: readonly (string | number)[]): string {
  const named = useNames(source, ids.slice(0, MAX_NAMES).map(String))
  const rest = ids.length - named.length
  return [...named.map(({ name }) => name), ...(rest === 0 ? [] : [texts.rest(rest)])].join(', ')
}
