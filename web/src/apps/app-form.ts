import type { AppForm, OwnApp } from '../api/apps.ts'
import type { FaultAt } from '../shell/fault-at.ts'

export interface AppFieldsProps<Form> {
  form: Form
  change: (changes: Partial<Form>) => void
  faultOf: FaultAt<keyof Form & string>
}

export const emptyApp: AppForm = {
  name: '',
  homepage: '',
  purpose: '',
  redirectUris: [],
  scopes: ['EVMAddress'],
  allowedOrigins: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  expiringTokens: true,
  s256Only: true,
  publicClient: false,
  subjectType: 'public',
}

export type Details = Pick<AppForm, 'name' | 'homepage' | 'purpose'>
export type SignInSettings = Omit<AppForm, keyof Details>

export const detailsOf = ({ proposedDetails, ...app }: OwnApp): Details => {
  const { name, homepage, purpose } = { ...app, ...proposedDetails }
  return { name, homepage, purpose }
}

export const signInOf = (app: OwnApp): SignInSettings => ({
  redirectUris: app.proposedRedirectUris ?? app.redirectUris,
  scopes: app.proposedDetails?.scopes ?? app.scopes,
  allowedOrigins: app.allowedOrigins,
  postLogoutRedirectUris: app.postLogoutRedirectUris,
  backchannelLogoutUri: app.proposedBackchannelLogoutUri ?? app.backchannelLogoutUri,
  expiringTokens: app.expiringTokens,
  s256Only: app.s256Only,
  publicClient: app.publicClient,
  subjectType: app.subjectType,
})

/** Whether an operator approved the app. Its kind is then fixed, and what users see changes only with another approval. */
export const isDecided = ({ status }: Pick<OwnApp, 'status'>): boolean =>
  status === 'approved' || status === 'suspended'
