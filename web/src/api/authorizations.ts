import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { type Account, change } from './session.ts'

export interface RequestedScope {
  scope: string
  identities: { subject: string; username: string | null }[]
  picked: string | null
  /** The account has no identity of this kind. */
  missing: boolean
  /** The ways to link a missing identity; empty if its kind is off. */
  link: { way: string; start?: string }[]
}

export interface AuthorizationRequest {
  app: {
    clientId: string
    name: string
    homepage: string
    logo: string | null
    returnsTo: string
    /** The host that vouches for a client that no operator reviewed. */
    publisher: string | null
  }
  scopes: RequestedScope[]
  /** A user is signed in, but the app expects another account. */
  otherAccountExpected: boolean
  account: Account | null
  chooseAccount: boolean
  expiresAt: string
}

/** Read again whenever the tab becomes visible, because an identity may have been linked in another tab. */
export const authorizationQuery = (id: string) =>
  queryOptions({
    queryKey: ['authorization', id],
    queryFn: () => send<AuthorizationRequest>('GET', `/api/authorizations/${id}`),
    staleTime: 0,
  })

/** The decision of the user, with the identity to share for each scope. `account` is the user that the page showed. */
export type UserDecision =
  { decision: 'allow'; account: string; identities: Record<string, string> } | { decision: 'deny' }

/** Sends the decision of the user. @returns the URL to open @throws ApiFailure */
export async function decide(id: string, decision: UserDecision): Promise<string> {
  const { redirect } = await change<{ redirect: string }>('POST', `/api/authorizations/${id}`, decision)
  return redirect
}
