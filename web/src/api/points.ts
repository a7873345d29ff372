import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

/** An entry of the ledger of a space (docs/ledger.md). */
export interface LedgerEntry {
  /** The change on the overall board, or on the board of the sprint. */
  amount: number
  id: string
  time: string
  address: string
  /** On the leaderboard; empty if the member is not on it. */
  username: string
  /** Null if the service or a command made the change. */
  author: EntryAuthor | null
  sprintId: number | null
  pointsBefore: number | null
  pointsAfter: number | null
  sprintBefore: number | null
  sprintAfter: number | null
  source: string
  key: string | null
  reason: string | null
  reverses: string | null
  /** The entry that took this one back. */
  reversedBy: string | null
  /** Whether the server accepts a reversal now. */
  reversible: boolean
  availableAt: string | null
  expiresAt: string | null
  pending: number | null
  /** The rule that gave the points. */
  ruleId: string | null
  ruleVersion: number | null
}

export interface EntryAuthor {
  kind: 'account' | 'token' | 'import' | 'quest' | 'unknown'
  id: string
  /** Null if it was deleted. */
  name: string | null
  /** The account that stored an imported file. */
  by: string | null
}

interface Page {
  list: LedgerEntry[]
  next: string | null
}

export interface LedgerFilter {
  /** An address, a name or a short ID. */
  member: string
  source: string
  /** 0 for entries without a sprint. */
  sprintId: string
  from: string
  /** Exclusive. */
  to: string
}

export interface Award {
  address: string
  points: number
  sprintId?: number
  reason: string
  availableAt?: string
  expiresAt?: string
}

const pathOf = (spaceId: number) => `/api/spaces/${spaceId}`

function readPage(spaceId: number, filter: LedgerFilter, after: string | null, signal: AbortSignal): Promise<Page> {
  const parameters = Object.entries({ ...filter, after: after ?? '' }).filter(([, value]) => value !== '')
  const path = `${pathOf(spaceId)}/ledger?${new URLSearchParams(parameters).toString()}`
  return send<Page>('GET', path, undefined, undefined, signal)
}

/** The number of pages without a match that one request of a person reads. */
const MAX_EMPTY_PAGES = 5

export const ledgerQuery = (spaceId: number, filter: LedgerFilter) =>
  infiniteQueryOptions({
    queryKey: ['ledger', spaceId, filter],
    queryFn: async ({ pageParam, signal }) => {
      let page = await readPage(spaceId, filter, pageParam, signal)
      // The server reads a limited number of entries for a page, so a page can be empty before the end.
      for (let empty = 1; page.list.length === 0 && page.next !== null && empty < MAX_EMPTY_PAGES; empty++) {
        const last = page
        // After a failure, "More" continues from the last page.
        page = await readPage(spaceId, filter, page.next, signal).catch(() => last)
        if (page === last) break
      }
      return page
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  })

export interface NamedMember {
  address: string
  /** Empty if the member has no name. */
  username: string
  points: number
}

/** The members of the overall board with exactly this name or address. */
export const findNamed = (spaceId: number, name: string) =>
  send<{ list: NamedMember[]; complete: boolean }>(
    'GET',
    `${pathOf(spaceId)}/members?${new URLSearchParams({ name }).toString()}`,
  )

export const namedMembersQuery = (spaceId: number, name: string) =>
  queryOptions({ queryKey: ['members', spaceId, name], queryFn: () => findNamed(spaceId, name), staleTime: 0 })

export const awardPoints = (spaceId: number, award: Award) =>
  changing(
    spaceId,
    change<{ status: 'applied' | 'duplicate'; banned?: true }>('POST', `${pathOf(spaceId)}/awards`, award),
  )

export const reverseEntry = (spaceId: number, entry: string, reason: string) =>
  changing(
    spaceId,
    change<{ status: 'applied' | 'duplicate' }>('POST', `${pathOf(spaceId)}/reversals`, { entry, reason }),
  )

async function changing<T>(spaceId: number, work: Promise<T>): Promise<T> {
  const result = await work
  await queryClient.invalidateQueries({ queryKey: ['ledger', spaceId] })
  return result
}
