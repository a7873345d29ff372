import { queryOptions } from '@tanstack/react-query'
import type { Entry } from './explore.ts'
import { send } from './call.ts'

interface Found extends Entry {
  editable: boolean
}

export interface SearchResults {
  spaces: Found[]
  quests: (Found & { spaceId: number; spaceName: string; hidden: 'draft' | 'private' | null })[]
  starboards: Found[]
  credentials: Found[]
  members: { spaceId: number; spaceName: string; address: string; username: string; points: number }[]
}

/** The service searches for at least two characters, or for an id. */
export const canSearch = (text: string): boolean => text.length >= 2 || /^\d$/.test(text)

export const searchAllQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    queryFn: () => send<SearchResults>('GET', `/api/search?q=${encodeURIComponent(text)}`),
    enabled: canSearch(text),
  })

/** A page or a heading of the manual. */
export interface ManualSection {
  href: string
  title: string
  page?: string
}

/** The headings of the manual, which are read once. */
export const manualQuery = queryOptions({
  queryKey: ['manual'],
  queryFn: () => send<ManualSection[]>('GET', '/docs/sections.json'),
  staleTime: Infinity,
  retry: false,
})
