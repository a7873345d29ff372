import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { signIn } from '../texts/index.ts'
import { ApiFailure, type Method, send } from './call.ts'

export interface Identity {
  kind: string
  /** Immutable: what the identity is known by. */
  subject: string
  username: string | null
  linkedAt: string
  /** Null if it never counts for other identities. */
  useForEligibility: boolean | null
}

export interface Passkey {
  id: string
  createdAt: string
  lastUsedAt: string | null
}

export interface Account {
  id: string
  username: string
  operator: boolean
  identities: Identity[]
  passkeys: Passkey[]
}

export interface Session {
  csrfToken: string
  account: Account | null
}

const MINUTE = 60_000

/** A lost session is read again, so that the page around a refused request leads to sign-in. */
function onError(error: unknown): void {
  if (error instanceof ApiFailure && error.code === 'sign_in_required')
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, exact: true })
}

/** What was read from the service. A refusal is an answer: only an unreachable service is asked again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: MINUTE,
      retry: (count, error) => count < 2 && error instanceof ApiFailure && (error.status === 0 || error.status === 503),
    },
  },
})

/** Read again whenever the tab is looked at: somebody may have signed in or out in another one. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => send<Session>('GET', '/api/session'),
  staleTime: 0,
})

export function keepSession(session: Session): void {
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/**
 * A request that changes something. When another tab changed the session, its new token is fetched, and the request is
 * repeated only for the same account: nothing is done in the name of somebody that this page does not show. @throws ApiFailure
 */
export async function change<T>(method: Exclude<Method, 'GET'>, path: string, body?: unknown): Promise<T> {
  const known = queryClient.getQueryData(sessionQuery.queryKey) ?? (await queryClient.fetchQuery(sessionQuery))
  try {
    return await send<T>(method, path, body, known.csrfToken)
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'bad_csrf_token') throw error
  }
  const now = await queryClient.fetchQuery(sessionQuery)
  if (now.account?.id !== known.account?.id) {
    await queryClient.invalidateQueries()
    throw new ApiFailure(409, 'account_changed', signIn.faults.otherAccount.text)
  }
  return send<T>(method, path, body, now.csrfToken)
}

/** Signs this browser out. */
export async function signOut(): Promise<void> {
  await change('DELETE', '/api/session')
  await forgetAccount()
}

/** Asks anew who is signed in, and drops or reads again what was read for an account that is gone. */
export async function forgetAccount(): Promise<void> {
  await queryClient.fetchQuery(sessionQuery)
  await forgetAnswers()
}

/** What no page shows is dropped; what one shows is read again. */
export async function forgetAnswers(): Promise<void> {
  const others = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session' }
  queryClient.removeQueries({ ...others, type: 'inactive' })
  await queryClient.invalidateQueries(others)
}
