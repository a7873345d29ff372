import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

export const AREAS = ['starboard', 'space', 'credential', 'quest'] as const
export type Area = (typeof AREAS)[number]

export interface ServerToken {
  tokenId: string
  name: string
  areas: Area[]
  plan: string
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  /** The origins of a publishable token; null for a server token. */
  origins: string[] | null
  spaceIds: number[] | null
  /** The last characters of the value; null for a token from a release that did not store them. */
  lastFour: string | null
  lastUsedAt: string | null
}

/** With the value, which the service shows once and does not keep. */
export interface IssuedToken {
  token: string
  name: string
  areas: Area[]
  /** The origins of a publishable token; null for a server token. */
  origins: string[] | null
  spaceIds: number[] | null
}

export interface NewToken {
  name: string
  areas: Area[]
  /** Default: `free`. */
  plan?: string
  expiresAt?: string
  /** If set, the token is publishable. */
  origins?: string[]
  spaces?: number[]
}

/** A plan that the account can choose; null means no limit. */
export interface PlanChoice {
  plan: string
  perSecond: number | null
  perDay: number | null
}

export interface UsageDay {
  /** YYYY-MM-DD, UTC. */
  day: string
  operation: string
  status: number
  requests: number
  /** Requests in each range of durations; empty for days before the service counted them. */
  latencies: number[]
}

export interface Usage {
  since: string
  /** Upper bounds of the ranges of durations in milliseconds; the last range has none. */
  latencyBounds: number[]
  usage: TokenUsage[]
}

/** The operation name that stands for requests that were refused before they ran. */
export const REFUSED = '(refused)'

export interface TokenRequest {
  at: string
  requestId: string
  operation: string
  status: number
  milliseconds: number
  /** The code of the first error. */
  code: string | null
}

export interface TokenUsage {
  tokenId: string
  name: string
  quota: { plan: string; perSecond: number | null; perDay: number | null }
  days: UsageDay[]
}

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => send<{ tokens: ServerToken[] }>('GET', '/api/tokens'),
})

/** The plans that the account can choose. */
export const planChoicesQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: () => send<{ plans: PlanChoice[] }>('GET', '/api/plans'),
})

export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ['usage', days],
    queryFn: () => send<Usage>('GET', `/api/usage?days=${days}`),
    staleTime: 0,
  })

export const tokenRequestsQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id, 'requests'],
    queryFn: () => send<{ requests: TokenRequest[] }>('GET', `/api/tokens/${encodeURIComponent(id)}/requests`),
    staleTime: 0,
  })

export const createToken = (token: NewToken) => changing(change<IssuedToken>('POST', '/api/tokens', token))
export const regenerateToken = (id: string) => changing(change<IssuedToken>('POST', `/api/tokens/${id}/regenerate`))
export const revokeToken = (id: string) => changing(change<undefined>('DELETE', `/api/tokens/${id}`))

async function changing<T>(work: Promise<T>): Promise<T> {
  const answer = await work
  await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })
  return answer
}
