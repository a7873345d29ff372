import { questsQuery, credentialQuery, credentialsQuery } from '../api/content.ts'
import { type EntryKind, searchQuery } from '../api/explore.ts'
import { peopleQuery } from '../api/people.ts'
import { canSearch, searchAllQuery } from '../api/search.ts'
import { queryClient } from '../api/session.ts'

/** An object that a picker offers. */
export interface Choice {
  id: string
  name: string
  /** Distinguishes choices with the same name. */
  detail?: string
}

/** The requests with which a picker searches objects. */
export interface Source {
  /** Distinguishes the cached results of sources. */
  key: string
  /** Objects by words of the name or by ID; for an empty text, the first ones. */
  find: (text: string) => Promise<Choice[]>
  /** Reads the name behind an ID. Default: `find`. */
  one?: (id: string) => Promise<Choice | undefined>
  /** IDs that users may paste. */
  idPattern: RegExp
  /** Whether a name can look like an ID. A text is then an ID only if the search finds nothing. */
  hasNamesLikeIds: boolean
}

const MAX_SUGGESTIONS = 20
const NUMBER = /^[1-9]\d{0,18}$/
const WORD = /^[A-Za-z0-9_.:-]{1,100}$/

const few = (choices: Choice[]) => choices.slice(0, MAX_SUGGESTIONS)
const named = (text: string) => (choice: Choice) => choice.name.toLowerCase().includes(text.toLowerCase())

/** The search of the pages needs two characters. Until then, the list of Explore. */
async function findObjects(kind: EntryKind, text: string): Promise<Choice[]> {
  if (!canSearch(text)) {
    const { pages } = await queryClient.fetchInfiniteQuery(searchQuery(kind, text))
    return few(pages[0]?.list ?? [])
  }
  return (await queryClient.fetchQuery(searchAllQuery(text)))[kind]
}

const objects = (kind: EntryKind, ids: Pick<Source, 'idPattern' | 'hasNamesLikeIds'>): Source => ({
  key: kind,
  find: (text) => findObjects(kind, text),
  ...ids,
})

export const spaces = objects('spaces', { idPattern: NUMBER, hasNamesLikeIds: false })
export const credentials = objects('credentials', { idPattern: NUMBER, hasNamesLikeIds: false })
export const starboards = objects('starboards', { idPattern: WORD, hasNamesLikeIds: true })

export const quests: Source = {
  key: 'quests',
  idPattern: WORD,
  hasNamesLikeIds: true,
  async find(text) {
    if (!canSearch(text)) return []
    const found = await queryClient.fetchQuery(searchAllQuery(text))
    return found.quests.map(({ id, name, spaceName }) => ({ id, name, detail: spaceName }))
  },
}

/** The quests of a space, also drafts. A space with more than a page of quests is searched. */
export const questsOf = (spaceId: number): Source => ({
  ...quests,
  key: `quests of ${spaceId}`,
  async find(text) {
    const { items, next } = await queryClient.fetchQuery(questsQuery(spaceId))
    const listed = items.filter((quest) => named(text)(quest) || quest.id === text)
    if (next === null || !canSearch(text)) return few(listed)
    const found = (await queryClient.fetchQuery(searchAllQuery(text))).quests.filter(
      (quest) => quest.spaceId === spaceId,
    )
    return [...new Map([...listed, ...found].map(({ id, name }) => [id, { id, name }])).values()]
  },
})

/** The credentials of a space. An ID of a credential of another space can be pasted. */
export const credentialsOf = (spaceId: number): Source => ({
  ...credentials,
  key: `credentials of ${spaceId}`,
  find: async (text) => (await queryClient.fetchQuery(credentialsQuery(spaceId, text))).items,
  one: (id) => queryClient.fetchQuery(credentialQuery(id)),
})

/** All accounts, for operators. */
export const accounts: Source = {
  key: 'accounts',
  idPattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  hasNamesLikeIds: false,
  async find(text) {
    const { pages } = await queryClient.fetchInfiniteQuery(peopleQuery(text))
    return few((pages[0]?.items ?? []).map(({ id, username }) => ({ id, name: username })))
  },
}
