import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import type { Account } from './session.ts'

export interface SignOutRequest {
  /** The app that asks, if one does. */
  app: { clientId: string; name: string; logo: string | null } | null
  account: Account | null
  /** A registered address of the app. */
  redirect: string | null
}

/** @param search the query of the page */
export const signOutQuery = (search: string) =>
  queryOptions({
    queryKey: ['sign-out', search],
    queryFn: () => send<SignOutRequest>('GET', `/api/sign-out${search}`),
    staleTime: 0,
    retry: false,
  })
