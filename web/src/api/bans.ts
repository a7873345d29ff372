import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

export interface Ban {
  id: string
  account: { id: string; username: string | null } | null
  address: string | null
  addresses: string[]
  /** Null if the ban is valid in all spaces. */
  spaceId: number | null
  /** Null if the ban is valid in all spaces, or the space was deleted. */
  spaceName: string | null
  reason: string
  createdAt: string
  /** Null if a command created the ban. */
  createdBy: string | null
  createdByUsername: string | null
  /** Null if the ban has no end. */
  endsAt: string | null
  endedAt: string | null
  endCause: 'lifted' | 'expired' | null
}

export interface BanSubject {
  addresses: string[]
  boards: { spaceId: number; name: string }[]
  /** The account with the username or ID that is given as the address. A ban of the address does not cover it. */
  accountOfName: { id: string; username: string } | null
}

export type BanState = 'active' | 'ended'

export type Subject = { account: string } | { address: string }

export interface NewBan {
  of: Subject
  spaceId: number | null
  reason: string
  endsAt: string | null
}

const path = '/api/operator/bans'
const key = (...parts: unknown[]) => ['operator', 'bans', ...parts]
interface Page {
  items: Ban[]
  next: string | null
}

export const bansQuery = (state: BanState, address: string) =>
  infiniteQueryOptions({
    queryKey: key('list', state, address),
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({
        state,
        ...(address !== '' && { address }),
        ...(pageParam !== '' && { after: pageParam }),
      })
      return send<Page>('GET', `${path}?${query}`)
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 0,
  })

/** The newest bans of an account. */
export const bansOfQuery = (accountId: string) =>
  queryOptions({
    queryKey: key('of', accountId),
    queryFn: async () => (await send<Page>('GET', `${path}?account=${encodeURIComponent(accountId)}`)).items,
    staleTime: 0,
  })

export const banSubjectQuery = (of: Subject) => {
  const query = new URLSearchParams({ ...of })
  return queryOptions({
    queryKey: key('subject', query.toString()),
    queryFn: () => send<BanSubject>('GET', `${path}/subject?${query}`),
    enabled: [...query.values()].every((value) => value !== ''),
  })
}

export const createBan = ({ of, ...rest }: NewBan) => changing(change<Ban>('POST', path, { ...of, ...rest }))
export const liftBan = (id: string) => changing(change<Ban>('POST', `${path}/${id}/lift`))

async function changing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } finally {
    // After an error, the page may be outdated too.
    await queryClient.invalidateQueries({ queryKey: ['operator'] })
  }
}
