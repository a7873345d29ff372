import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import type { EffectiveRole } from './content.ts'
import { change, queryClient } from './session.ts'

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

interface WithLogo extends Entry {
  /** The path of the logo; null without a logo or without a public page. */
  logo: string | null
}

/** The objects of each kind, with the facts that their rows show. */
export interface ListedEntries {
  spaces: WithLogo & { members: number; openQuests: number }
  starboards: Entry & { projectName: string; users: number }
  credentials: Entry & { holders: number; space: WithLogo | null }
}

export type EntryKind = keyof ListedEntries

/** The objects of a kind whose name contains a text, one page at a time. */
export const searchQuery = <Kind extends EntryKind>(kind: Kind, search: string) =>
  infiniteQueryOptions({
    queryKey: ['explore', 'search', kind, search],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ search, ...(pageParam !== null && { after: pageParam }) })
      return send<{ list: ListedEntries[Kind][]; next: string | null }>('GET', `/api/explore/${kind}?${query}`)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

export interface FoundQuest extends Entry {
  status: string
  loyaltyPoints: number
  participantsCount: number
  endTime: string | null
  space: Entry
}

/** At most 50 quests with a status whose name contains a text. An empty status finds all. */
export const questSearchQuery = (search: string, status: string) =>
  queryOptions({
    queryKey: ['explore', 'quests', search, status],
    queryFn: () => {
      const query = new URLSearchParams({ search, ...(status !== '' && { status }) })
      return send<{ list: FoundQuest[]; complete: boolean }>('GET', `/api/explore/quests?${query}`)
    },
    enabled: search !== '',
  })

/** The logos of up to 50 spaces that everyone can read, by the ID of the space. */
export const logosQuery = (spaceIds: readonly string[]) =>
  queryOptions({
    queryKey: ['explore', 'logos', ...spaceIds],
    queryFn: async () => {
      const query = new URLSearchParams({ spaces: spaceIds.join(',') })
      return (await send<{ logos: Record<string, string> }>('GET', `/api/explore/logos?${query}`)).logos
    },
    enabled: spaceIds.length > 0,
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

export interface PublicPage {
  /** Null if the space has no public page. */
  slug: string | null
  url: string | null
  /** Whether the account may publish it. */
  editable: boolean
  /** The role of the account in the space. */
  standing: EffectiveRole | null
  /** The sites that may show the board in a frame; null allows all. */
  embedOrigins: string[] | null
}

const pagePath = (spaceId: string) => `/api/explore/spaces/${encodeURIComponent(spaceId)}/page`

export const publicPageQuery = (spaceId: string) =>
  queryOptions({
    queryKey: ['explore', 'page', spaceId],
    queryFn: () => send<PublicPage>('GET', pagePath(spaceId)),
  })

export async function setEmbedOrigins(spaceId: string, origins: string[] | null): Promise<void> {
  const page = await change<PublicPage>('PUT', `${pagePath(spaceId)}/embeds`, { origins })
  queryClient.setQueryData(publicPageQuery(spaceId).queryKey, page)
}

const starboardPagePath = (id: string) => `/api/starboards/${encodeURIComponent(id)}/page`

export const starboardPageQuery = (id: string) =>
  queryOptions({
    queryKey: ['explore', 'starboard-page', id],
    queryFn: () => send<Pick<PublicPage, 'url' | 'editable'>>('GET', starboardPagePath(id)),
  })

export async function publishStarboard(id: string): Promise<void> {
  const page = await change<Pick<PublicPage, 'url' | 'editable'>>('PUT', starboardPagePath(id))
  queryClient.setQueryData(starboardPageQuery(id).queryKey, page)
}

export async function unpublishStarboard(id: string): Promise<void> {
  await change('DELETE', starboardPagePath(id))
  await queryClient.invalidateQueries({ queryKey: starboardPageQuery(id).queryKey })
}
