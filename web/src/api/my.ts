import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import type { RankDay } from './explore.ts'
import type { Completion } from './quests.ts'

/** The rank of the account on the board of a space, with one of its addresses. */
export interface OwnRank {
  space: { id: string; name: string; slug: string | null }
  address: string
  /** The username of the address. */
  username: string
  rank: number
  points: number
  members: number
  percentile: number
  /** The last 30 days, oldest first. */
  days: RankDay[]
}

export const ownRanksQuery = queryOptions({
  queryKey: ['my', 'ranks'],
  queryFn: () => send<{ list: OwnRank[] }>('GET', '/api/my/ranks'),
})

export const questStates = ['ready', 'almost', 'open', 'completed'] as const
export type QuestState = (typeof questStates)[number]

export interface OwnQuest {
  quest: {
    id: string
    name: string
    endTime: string | null
    loyaltyPoints: number
    space: { id: string; name: string }
  }
  /** `unknown`: the list of the condition is synchronizing, or only a completion of the quest checks it. */
  conditions: { needed: number; met: number; unknown: number }
  completion: Completion | null
}

interface OwnQuestsPage {
  list: OwnQuest[]
  next: string | null
}

/** The service searches 100 quests at a time, so a page can be empty although another follows. */
const MAX_EMPTY_PAGES = 5

/** The next page with quests, unless several pages in a row have none. */
async function readOwnQuests(state: QuestState, after: string | null): Promise<OwnQuestsPage> {
  for (let from = after, read = 1; ; read++) {
    const query = new URLSearchParams({ state, ...(from !== null && { after: from }) })
    const page = await send<OwnQuestsPage>('GET', `/api/my/quests?${query}`)
    if (page.list.length > 0 || page.next === null || read === MAX_EMPTY_PAGES) return page
    from = page.next
  }
}

export const ownQuestsQuery = (state: QuestState) =>
  infiniteQueryOptions({
    queryKey: ['my', 'quests', state],
    queryFn: ({ pageParam }) => readOwnQuests(state, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: OwnQuestsPage) => next,
    // A claim moves a quest from one list to another.
    staleTime: 0,
  })

/** Those of up to 50 quests that the account has completed. */
export const completedQuestsQuery = (questIds: readonly string[]) =>
  queryOptions({
    queryKey: ['my', 'completed-quests', ...questIds],
    queryFn: async () => {
      const query = new URLSearchParams({ quests: questIds.join(',') })
      return (await send<{ completed: string[] }>('GET', `/api/my/completed-quests?${query}`)).completed
    },
    enabled: questIds.length > 0,
  })

/** The first state with quests when the page opens. A claim does not read it again, so that the shown list stays. */
export const firstQuestStateQuery = queryOptions({
  queryKey: ['first-quest-state'],
  queryFn: async ({ client }) => {
    for (const state of questStates) {
      const page = await readOwnQuests(state, null)
      // The list of this state is shown next, so it is not read again.
      client.setQueryData(ownQuestsQuery(state).queryKey, { pages: [page], pageParams: [null] })
      if (page.list.length > 0) return state
    }
    return questStates[0]
  },
  staleTime: Infinity,
  gcTime: 0,
})

/** A change of points. */
export interface PointsEntry {
  id: string
  time: string
  amount: number
  pointsAfter: number | null
  /** The change of the points that are not available yet. */
  pending: number | null
  source: string
  reason: string | null
  expiresAt: string | null
}

export const pointsHistoryQuery = (spaceId: string) =>
  infiniteQueryOptions({
    queryKey: ['my', 'points', spaceId],
    queryFn: ({ pageParam }) => {
      const query = pageParam === null ? '' : `?${new URLSearchParams({ after: pageParam })}`
      return send<{ list: PointsEntry[]; next: string | null }>('GET', `/api/my/points/${spaceId}${query}`)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
