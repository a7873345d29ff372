import { examples } from './examples.ts'
import { variablesText } from './examples/example.ts'
import { tabStorage } from '../shell/tab-storage.ts'

const QUERY = 'questboard.playground.query'
const VARIABLES = 'questboard.playground.variables'

/** The texts of the editors. */
export interface RequestText {
  query: string
  variables: string
}

/** Stores the content of the editors for this tab. */
export function storeRequest({ query, variables }: RequestText): void {
  tabStorage.setItem(QUERY, query)
  tabStorage.setItem(VARIABLES, variables)
}

/** The first content of the editors: from the last use in this tab, else the first example. */
export function storedRequest(): RequestText {
  const query = tabStorage.getItem(QUERY)
  if (query !== null) return { query, variables: tabStorage.getItem(VARIABLES) ?? '' }
  const [first] = examples
  return first === undefined ? { query: '', variables: '' } : { query: first.query, variables: variablesText(first) }
}
