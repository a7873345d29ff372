import { queryOptions } from '@tanstack/react-query'
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
] as const

export type AppStatus = 'pending' | 'approved' | 'refused' | 'suspended'

/** What the owner of an app fills in. */
export interface AppForm {
  name: string
  homepage: string
  purpose: string
  redirectUris: string[]
  scopes: string[]
  allowedOrigins: string[]
  expiringTokens: boolean
  s256Only: boolean
}

export interface OwnApp extends AppForm {
  clientId: string
  status: AppStatus
  statusReason: string
  /** What the redirect URIs will be once an operator accepts it. */
  proposedRedirectUris: string[] | null
  logo: string | null
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

export const applyForApp = (form: AppForm) => changing(change<OwnApp>('POST', '/api/apps', form))
export const changeApp = (clientId: string, form: Partial<AppForm>) =>
  changing(change<OwnApp>('PATCH', `/api/apps/${clientId}`, form))
export const removeApp = (clientId: string) => changing(change<undefined>('DELETE', `/api/apps/${clientId}`))
export const issueSecret = (clientId: string) =>
  changing(change<{ secretId: string; secret: string }>('POST', `/api/apps/${clientId}/secrets`))
export const endSecret = (clientId: string, secretId: string) =>
  changing(change<undefined>('DELETE', `/api/apps/${clientId}/secrets/${secretId}`))

async function changing<T>(work: Promise<T>): Promise<T> {
  const answer = await work
  await queryClient.invalidateQueries({ queryKey: appsQuery.queryKey })
  return answer
}
