import { infiniteQueryOptions } from '@tanstack/react-query'
import { loadFaultTexts } from '../texts/faults.ts'
import { type FieldFault, send } from './call.ts'
import { change, queryClient } from './session.ts'

// The lists of holders of credentials (docs/content.md).

export const MODES = ['add', 'remove', 'replace'] as const
export type Mode = (typeof MODES)[number]

/** The maximum size of a text as JSON, in bytes: that of a request without its other fields. */
export const MAX_TEXT = 4 * 1024 * 1024 - 1024

export interface Holder {
  address: string
  /** The name on leaderboards. */
  username: string | null
}

export interface ListProblem {
  line: number
  field?: string
  reason: string
  fault?: FieldFault
}

/** The effect of a text on a list. */
export interface ListChange {
  lines: number
  added: number
  removed: number
  unchanged: number
  refused: number
  /** The first hundred. */
  problems: ListProblem[]
}

const pathOf = (id: string) => `/api/credentials/${encodeURIComponent(id)}/holders`

export const holdersQuery = (id: string, search: string) =>
  infiniteQueryOptions({
    queryKey: ['content', 'holders', id, search],
    queryFn: ({ pageParam }) =>
      send<{ items: Holder[]; next: string | null }>(
        'GET',
        `${pathOf(id)}?${new URLSearchParams({ search, after: pageParam })}`,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 0,
  })

/** Counts what a text would change, and stores nothing. */
export async function checkHolders(id: string, mode: Mode, text: string): Promise<ListChange> {
  const checked = await change<ListChange>('POST', pathOf(id), { mode, text, dryRun: true })
  if (checked.problems.length > 0) await loadFaultTexts()
  return checked
}

/** Stores all lines of a text, or none. */
export async function changeHolders(id: string, mode: Mode, text: string): Promise<ListChange> {
  const changed = await change<ListChange>('POST', pathOf(id), { mode, text })
  await queryClient.invalidateQueries({ queryKey: ['content'] })
  await queryClient.invalidateQueries({ queryKey: ['explore'] })
  return changed
}
