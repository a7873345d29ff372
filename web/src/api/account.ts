import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { type Account, change, forgetEverywhere, keepSession, queryClient, sessionQuery } from './session.ts'

export interface Profile {
  username: string
  avatar: string
  isPublic: boolean
  isUploaded: boolean
}

export interface AuthorizedApp {
  clientId: string
  name: string
  homepage: string
  logo: string | null
  /** The host of a client without registration. */
  publisher: string | null
  scopes: string[]
  shared: Record<string, { subject: string; username: string | null }[]>
  grantedAt: string
  lastUsedAt: string | null
}

export interface OpenSession {
  sessionId: string
  authenticatedAt: string
  lastSeenAt: string
  userAgent: string
  address: string
  current: boolean
}

export interface SecurityEvent {
  eventId: string
  event: string
  at: string
  clientId?: string
  address?: string
  details?: Record<string, string>
}

/** Names for the IDs in events, which only the log of operators has. Deleted objects have none. */
export interface EventNames {
  usernames: Record<string, string>
  spaceNames: Record<string, string>
  /** The account or the address of each ban. */
  bans: Record<string, { accountId: string | null; address: string | null }>
  fileNames: Record<string, string>
  objectNames: Record<'quest' | 'credential' | 'starboard', Record<string, string>>
  appNames: Record<string, string>
  webhooks: Record<string, { accountId: string; host: string }>
}

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => send<Profile>('GET', '/api/profile'),
})

export const authorizedAppsQuery = queryOptions({
  queryKey: ['authorized-apps'],
  queryFn: () => send<{ apps: AuthorizedApp[] }>('GET', '/api/authorized-apps'),
})

export const openSessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => send<{ sessions: OpenSession[] }>('GET', '/api/sessions'),
})

interface AuditPage {
  events: SecurityEvent[]
  next: string | null
}

const EVENTS_PER_PAGE = 25

export const auditQuery = infiniteQueryOptions({
  queryKey: ['audit'],
  queryFn: ({ pageParam }) => readAudit(EVENTS_PER_PAGE, pageParam),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }) => next,
})

/** Events of the account that concern one of its apps. */
export const appEventsQuery = (clientId: string) =>
  infiniteQueryOptions({
    queryKey: ['apps', clientId, 'events'],
    queryFn: ({ pageParam }) => readAudit(EVENTS_PER_PAGE, pageParam, clientId),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

export function readAudit(first: number, before: string | null, app?: string): Promise<AuditPage> {
  const query = new URLSearchParams({
    first: String(first),
    ...(before !== null && { before }),
    ...(app !== undefined && { app }),
  })
  return send<AuditPage>('GET', `/api/audit?${query.toString()}`)
}

export type ProfileChanges = Partial<Omit<Profile, 'isUploaded'>>

export async function saveProfile(changes: ProfileChanges): Promise<Profile> {
  const profile = await change<Profile>('PATCH', '/api/profile', changes)
  queryClient.setQueryData(profileQuery.queryKey, profile)
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, exact: true }),
    // Leaderboards show the new name.
    queryClient.invalidateQueries({ queryKey: ['my', 'ranks'] }),
  ])
  return profile
}

/** @param image in base64 */
export async function uploadPicture(image: string): Promise<Profile> {
  const profile = await change<Profile>('PUT', '/api/profile/avatar', { image })
  queryClient.setQueryData(profileQuery.queryKey, profile)
  return profile
}

/** The objects that the account created since the last sign-in with an identity. */
export interface CreatedSince {
  since: string
  sessions: number
  apps: { clientId: string; name: string }[]
  tokens: { tokenId: string; name: string; type: 'server' | 'ingest' }[]
}

export const createdSinceQuery = (kind: string, subject: string) =>
  queryOptions({
    queryKey: ['created-since', kind, subject],
    queryFn: () =>
      send<CreatedSince>('GET', `/api/identities/created-since?${new URLSearchParams({ kind, subject }).toString()}`),
    staleTime: 0,
  })

export async function setUseForEligibility(kind: string, subject: string, useForEligibility: boolean): Promise<void> {
  keepAccount(await change<Account>('PATCH', '/api/identities', { kind, subject, useForEligibility }))
}

function keepAccount(account: Account): void {
  const session = queryClient.getQueryData(sessionQuery.queryKey)
  if (session) keepSession({ ...session, account })
}

/** For a passkey, the kind is ServiceID and the subject is its ID. */
export async function unlinkIdentity(kind: string, subject: string, endCreated: boolean): Promise<void> {
  keepAccount(await change<Account>('DELETE', '/api/identities', { kind, subject, endCreated }))
  await queryClient.invalidateQueries({ queryKey: authorizedAppsQuery.queryKey })
}

export async function withdrawApp(clientId: string): Promise<void> {
  await change('DELETE', `/api/authorized-apps/${clientId}`)
  await queryClient.invalidateQueries({ queryKey: authorizedAppsQuery.queryKey })
}

export async function endSession(sessionId: string): Promise<void> {
  await change('DELETE', `/api/sessions/${sessionId}`)
  await queryClient.invalidateQueries({ queryKey: openSessionsQuery.queryKey })
}

export async function endAllSessions(): Promise<void> {
  await change('DELETE', '/api/sessions')
  await forgetEverywhere()
}

export async function deleteAccount(): Promise<void> {
  await change('DELETE', '/api/account')
  await forgetEverywhere()
}
