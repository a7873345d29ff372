import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { signIn } from '../texts/index.ts'
import { ApiFailure, type Method, send } from './call.ts'
import { tellSignedOut } from './session-channel.ts'

export interface Identity {
  kind: string
  /** Immutable id of the identity. */
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

/** A lost session is read again, so that the page around a refused request asks for a sign-in. */
function onError(error: unknown): void {
  if (error instanceof ApiFailure && error.code === 'sign_in_required')
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, exact: true })
}

/** The cache of responses. Only requests without a response are retried. */
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

let lastAccount: Account | null = null

/** The account of this tab before its session ended; null if the user has signed out. */
export const endedAccount = (): Account | null => lastAccount

function noteAccount<T extends Session>(session: T): T {
  lastAccount = session.account ?? lastAccount
  return session
}

/** Read again whenever the tab gets the focus, because another tab may have signed in or out. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => send<Session>('GET', '/api/session').then(noteAccount),
  staleTime: 0,
})

export function keepSession(session: Session): void {
  queryClient.setQueryData(sessionQuery.queryKey, noteAccount(session))
}

/**
 * Sends a change. If another tab changed the session, fetches the new CSRF token and repeats the
 * request only for the same account, so other accounts than the shown one never change. @throws ApiFailure
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
    // Not awaited, because the request can be one of these queries.
    void queryClient.invalidateQueries()
    throw new ApiFailure(409, 'account_changed', signIn.faults.otherAccount.text)
  }
  return send<T>(method, path, body, now.csrfToken)
}

/** Signs this browser out. Its other tabs drop what they show. */
export async function signOut(): Promise<void> {
  await change('DELETE', '/api/session')
  await forgetEverywhere()
}

/** After the end of the session: drops the account in this tab and in the others. */
export async function forgetEverywhere(): Promise<void> {
  // Runs first, because reading the session can fail.
  tellSignedOut()
  await forgetAccount()
}

/** Reads the session again, and drops or reloads the data of the previous account. */
export async function forgetAccount(): Promise<void> {
  lastAccount = null
  await queryClient.fetchQuery(sessionQuery)
  await forgetAnswers()
}

/** Drops cached data that no page shows, and reloads the rest. */
export async function forgetAnswers(): Promise<void> {
  const others = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session' }
  queryClient.removeQueries({ ...others, type: 'inactive' })
  await queryClient.invalidateQueries(others)
}
