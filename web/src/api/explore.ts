import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'

export interface Entry {
  id: string
  name: string
}

export interface Sprint {
  sprintId: number
  name: string
  startTime: string | null
  endTime: string | null
}

/** The rank of a member at the start of a UTC day. */
export interface RankDay {
  /** YYYY-MM-DD. */
  day: string
  rank: number
  points: number
}

export const entriesQuery = queryOptions({
  queryKey: ['explore'],
  queryFn: () =>
    send<{ spaces: Entry[]; starboards: Entry[]; credentials: Entry[]; complete: boolean }>('GET', '/api/explore'),
})

export type EntryKind = 'spaces' | 'starboards' | 'credentials'

/** Everything of a kind whose name contains a text, page after page. */
export const searchQuery = (kind: EntryKind, search: string) =>
  infiniteQueryOptions({
    queryKey: ['explore', 'search', kind, search],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ search, ...(pageParam !== null && { after: pageParam }) })
      return send<{ list: Entry[]; next: string | null }>('GET', `/api/explore/${kind}?${query}`)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

export const sprintsQuery = (spaceId: string) =>
  queryOptions({
    queryKey: ['explore', 'sprints', spaceId],
    queryFn: () => send<{ sprints: Sprint[] }>('GET', `/api/explore/spaces/${encodeURIComponent(spaceId)}/sprints`),
  })

/** `places`: members further down have no history. */
export const ranksQuery = (spaceId: string, sprintId: number | undefined, address: string) =>
  queryOptions({
    queryKey: ['explore', 'ranks', spaceId, sprintId ?? 0, address],
    queryFn: () => {
      const query = new URLSearchParams({ address, ...(sprintId !== undefined && { sprintId: String(sprintId) }) })
      return send<{ days: RankDay[]; places: number }>('GET', `/api/explore/spaces/${spaceId}/ranks?${query}`)
    },
  })
