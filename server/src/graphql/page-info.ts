import type { FieldTable } from './context.ts'

/** `PageInfo` of the schema. A cursor is computed only if it is requested. */
export interface PageInfo {
  hasNextPage: boolean
  hasPreviousPage: boolean
  first: (() => string) | undefined
  last: (() => string) | undefined
}

export function pageInfo<Item>(
  list: readonly Item[],
  around: { hasNextPage: boolean; hasPreviousPage: boolean },
  cursorOf: (item: Item) => string,
): PageInfo {
  const [first] = list
  const last = list.at(-1)
  return {
    ...around,
    first: first === undefined ? undefined : () => cursorOf(first),
    last: last === undefined ? undefined : () => cursorOf(last),
  }
}

/** Whether a cursor argument means "no cursor". Existing clients send "-1" for the first page. */
export function meansNoCursor(after: string | null | undefined): after is null | undefined | '' | '-1' {
  return after === null || after === undefined || after === '' || after === '-1'
}

export const pageInfoFields: FieldTable = {
  resolvers: {},
  getters: {
    PageInfo: {
      startCursor: (info: PageInfo) => info.first?.(),
      endCursor: (info: PageInfo) => info.last?.(),
    },
  },
}
