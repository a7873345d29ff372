import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Discovery } from '../apps/snippets/settings.ts'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

/** Every scope that an app can ask for (docs/oauth.md). */
export const SCOPES = [
  'EVMAddress',
  'SolanaAddress',
  'SeiAddress',
  'AptosAddress',
  'InjectiveAddress',
  'FlowAddress',
  'Discord',
  'Github',
  'Telegram',
  'Twitter',
  'Email',
  'ServiceID',
  'openid',
  'quests:claim',
  'mcp',
] as const

export type AppStatus = 'pending' | 'approved' | 'refused' | 'suspended'

/** The fields that the owner of an app edits. */
export interface AppForm {
  name: string
  homepage: string
  purpose: string
  redirectUris: string[]
  scopes: string[]
  allowedOrigins: string[]
  postLogoutRedirectUris: string[]
  backchannelLogoutUri: string | null
  expiringTokens: boolean
  s256Only: boolean
  publicClient: boolean
  /** `pairwise`: the id_token identifies a user by an id that apps at other hosts do not get. */
  subjectType: 'public' | 'pairwise'
}

export interface OwnApp extends AppForm {
  clientId: string
  status: AppStatus
  statusReason: string
  /** The values of these fields after an operator accepts the proposal. */
  proposedDetails: Partial<Pick<AppForm, 'name' | 'homepage' | 'purpose' | 'scopes'>> | null
  /** The redirect URIs after an operator accepts the proposal. */
  proposedRedirectUris: string[] | null
  proposedBackchannelLogoutUri: string | null
  logo: string | null
  proposedLogo: string | null
  /** The number of changes by the owner. An operator approves one revision. */
  revision: number
  createdAt: string
}

export interface AppSecret {
  secretId: string
  createdAt: string
  expiresAt: string | null
}

export const appsQuery = queryOptions({
  queryKey: ['apps'],
  queryFn: () => send<{ apps: OwnApp[] }>('GET', '/api/apps'),
})

export const appQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['apps', clientId],
    queryFn: () => send<OwnApp & { secrets: AppSecret[] }>('GET', `/api/apps/${clientId}`),
  })

/** The endpoints of the installation, which change only with its settings. */
export const discoveryQuery = queryOptions({
  queryKey: ['discovery'],
  queryFn: () => send<Discovery>('GET', '/.well-known/openid-configuration'),
  staleTime: Infinity,
})

export interface AppUser {
  scopes: string[]
  shared: Record<string, { subject: string; username?: string | null }>
  grantedAt: string
  lastUsedAt: string | null
}

const USERS_PER_PAGE = 25

export const appUsersQuery = (clientId: string) =>
  infiniteQueryOptions({
    queryKey: ['apps', clientId, 'users'],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({
        first: String(USERS_PER_PAGE),
        ...(pageParam !== null && { before: pageParam }),
      })
      return send<{ total: number; users: AppUser[]; next: string | null }>(
        'GET',
        `/api/apps/${clientId}/users?${query}`,
      )
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

/** Revokes all tokens of the app. @returns the number of its users */
export const revokeAppUsers = (clientId: string) =>
  changing(change<{ revoked: number }>('DELETE', `/api/apps/${clientId}/users`))

/** `logo`: base64 of the picture, or null for none. */
export const setLogo = (clientId: string, logo: string | null) =>
  changing(change<OwnApp>('PUT', `/api/apps/${clientId}/logo`, { logo }))

/** Removes the logo that waits for an operator. */
export const withdrawLogo = (clientId: string) =>
  changing(change<OwnApp>('DELETE', `/api/apps/${clientId}/proposed-logo`))

export const applyForApp = (form: AppForm) => changing(change<OwnApp>('POST', '/api/apps', form))
export const changeApp = (clientId: string, form: Partial<AppForm>) =>
  changing(change<OwnApp>('PATCH', `/api/apps/${clientId}`, form))
export const removeApp = (clientId: string) => changing(change<undefined>('DELETE', `/api/apps/${clientId}`))
export const issueSecret = (clientId: string) =>
  changing(change<{ secretId: string; secret: string }>('POST', `/api/apps/${clientId}/secrets`))
export const endSecret = (clientId: string, secretId: string) =>
  changing(change<undefined>('DELETE', `/api/apps/${clientId}/secrets/${secretId}`))

async function changing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } finally {
    // Also after an error: an operator may have decided meanwhile.
    await queryClient.invalidateQueries({ queryKey: appsQuery.queryKey })
  }
}
