import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, forgetAnswers, keepSession, queryClient, type Session } from './session.ts'

/** The objects that move from the account that ends. */
export interface Belongings {
  identities: number
  passkeys: number
  tokens: number
  apps: number
  spaces: number
  starboards: number
  credentials: number
  /** Access of apps that moves. */
  grants: number
  /** Access of apps that ends, because it names the account itself. */
  endedGrants: number
  operator: boolean
}

/** A merge that was proved from both sides and waits for its confirmation. */
export interface MergeOffer {
  id: string
  expiresAt: string
  into: { id: string; username: string }
  from: { id: string; username: string } & Belongings
}

export const mergeQuery = (id: string) =>
  queryOptions({
    queryKey: ['merge', id],
    queryFn: () => send<MergeOffer>('GET', `/api/merges/${encodeURIComponent(id)}`),
    staleTime: 0,
    retry: false,
  })

/** It cannot be undone. */
export async function confirmMerge(id: string): Promise<void> {
  keepSession(await change<Session>('POST', `/api/merges/${id}`))
  queryClient.removeQueries({ queryKey: ['merge', id] })
  await forgetAnswers()
}
