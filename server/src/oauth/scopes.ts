import { invalidScope } from './errors.ts'

/** An identity that a grant lets an app see: the immutable subject and what people call it. */
export interface SharedIdentity {
  subject: string
  username: string | null
}

/** Each identity kind as a scope, and the keys that it adds to the user data (contract 4). */
const identityScopes = {
  Discord: socialKeys('Discord'),
  Github: socialKeys('Github'),
  Twitter: socialKeys('Twitter'),
  Telegram: socialKeys('Telegram'),
  Email: addressKey('Email'),
  EVMAddress: addressKey('EVMAddress'),
  SolanaAddress: addressKey('SolanaAddress'),
  SeiAddress: addressKey('SeiAddress'),
  AptosAddress: addressKey('AptosAddress'),
  InjectiveAddress: addressKey('InjectiveAddress'),
  FlowAddress: addressKey('FlowAddress'),
  ServiceID: (identity: SharedIdentity) => ({
    ServiceID: identity.username ?? identity.subject,
    ServiceUserID: identity.subject,
  }),
} as const

export type IdentityScope = keyof typeof identityScopes

/** Says who the user is to OpenID Connect clients; shows nothing that an identity scope would show. */
export const OPENID = 'openid'

export const allScopes: readonly string[] = [...Object.keys(identityScopes), OPENID]

export function isIdentityScope(scope: string): scope is IdentityScope {
  return Object.hasOwn(identityScopes, scope)
}

/** Whether people call identities of this kind by a name, which may change. */
export function hasName(scope: IdentityScope): boolean {
  return ['Discord', 'Github', 'Twitter', 'Telegram', 'ServiceID'].includes(scope)
}

/** The keys of the user data that one shared identity gives. */
export function userDataKeys(scope: IdentityScope, identity: SharedIdentity): Record<string, string> {
  return identityScopes[scope](identity)
}

/** Whether these scopes tell an app the account itself. */
export function namesAccount(scopes: readonly string[]): boolean {
  return scopes.includes(OPENID) || scopes.includes('ServiceID')
}

/** What an app may have of these scopes: it may have been approved anew for less since they were granted. */
export function scopesWithin(scopes: readonly string[], approved: readonly string[]): string[] {
  return scopes.filter((scope) => approved.includes(scope))
}

/** RFC 6749 3.3: space-delimited, order without meaning, duplicates fold. @throws OauthError invalid_scope */
export function readScopes(text: string | undefined): string[] {
  const scopes = [...new Set((text ?? '').split(' ').filter((scope) => scope !== ''))]
  for (const scope of scopes)
    if (!allScopes.includes(scope))
      throw invalidScope(`The scope ${scope.slice(0, 60)} does not exist; there are: ${allScopes.join(' ')}`)
  return scopes
}

function socialKeys(name: string) {
  return (identity: SharedIdentity): Record<string, string> => ({
    [`${name}Username`]: identity.username ?? '',
    [`${name}UserID`]: identity.subject,
  })
}

function addressKey(name: string) {
  return (identity: SharedIdentity): Record<string, string> => ({ [name]: identity.subject })
}
