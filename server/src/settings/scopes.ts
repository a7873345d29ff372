/** An identity that a grant shows to an app. */
export interface SharedIdentity {
  subject: string
  username: string | null
}

/** Each identity scope, and the keys that it adds to the user data. */
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

/** Returns the user's id to OpenID Connect clients; grants no identity. */
export const OPENID = 'openid'

/** Allows the app to complete quests for the user; grants no identity. */
export const CLAIM_QUESTS = 'quests:claim'

/** Allows the app to read as the user through the Model Context Protocol; grants no identity. */
export const MCP = 'mcp'

export const allScopes: readonly string[] = [...Object.keys(identityScopes), OPENID, CLAIM_QUESTS, MCP]

export function isIdentityScope(scope: string): scope is IdentityScope {
  return Object.hasOwn(identityScopes, scope)
}

/** Whether identities of this kind have a username, which may change. */
export function hasName(scope: IdentityScope): boolean {
  return ['Discord', 'Github', 'Twitter', 'Telegram', 'ServiceID'].includes(scope)
}

/** The user data keys of one shared identity. `ServiceID` also adds its keys under each alias. */
export function userDataKeys(
  scope: IdentityScope,
  identity: SharedIdentity,
  aliases: readonly string[],
): Record<string, string> {
  const keys = identityScopes[scope](identity)
  if (scope !== 'ServiceID') return keys
  const { ServiceID, ServiceUserID } = identityScopes.ServiceID(identity)
  const underAliases = aliases.flatMap((alias) => [
    [alias, ServiceID],
    [userIdKey(alias), ServiceUserID],
  ])
  return { ...keys, ...(Object.fromEntries(underAliases) as Record<string, string>) }
}

/** The user id for alias `GalxeID` is under `GalxeUserID`. */
const userIdKey = (alias: string): string => `${alias.replace(/ID$/, '')}UserID`

const MAX_ALIASES = 5

/** Validates aliases of `ServiceID`. Returns the problem, or undefined. */
export function aliasesFault(aliases: readonly string[]): string | undefined {
  if (aliases.length > MAX_ALIASES) return `must have at most ${MAX_ALIASES} names`
  if (!aliases.every((alias) => /^[A-Za-z][A-Za-z0-9_]{0,38}$/.test(alias)))
    return 'must be names of letters, digits and _ that begin with a letter, separated by commas'
  const nobody = { subject: '', username: null }
  const scopes = Object.keys(identityScopes).filter(isIdentityScope)
  const taken = [...allScopes, ...scopes.flatMap((scope) => Object.keys(userDataKeys(scope, nobody, [])))]
  const names = [...taken, ...new Set(aliases.flatMap((alias) => [alias, userIdKey(alias)]))].map(lower)
  const isFree = new Set(names).size === new Set(taken.map(lower)).size + 2 * aliases.length
  return isFree ? undefined : 'must not be, nor give, the name of another scope or key, or the same name twice'
}

const lower = (text: string): string => text.toLowerCase()
const byLowerCase = new Map(allScopes.map((scope) => [lower(scope), scope]))

/** Finds a scope by name or alias; case is ignored. */
export function findScope(name: string, aliases: readonly string[]): string | undefined {
  const wanted = lower(name)
  return byLowerCase.get(wanted) ?? (aliases.some((alias) => lower(alias) === wanted) ? 'ServiceID' : undefined)
}

/**
 * Spells scopes as the app requested them. Clients compare the response with their request (RFC 6749 5.1), and some
 * fail if it differs.
 */
export function spellScopes(
  scopes: readonly string[],
  names: readonly string[] | null,
  aliases: readonly string[],
): string {
  if (names === null) return scopes.join(' ')
  const granted = names.map((name) => ({ name, scope: findScope(name, aliases) }))
  const spelled = granted.filter(({ scope }) => scope !== undefined && scopes.includes(scope))
  const others = scopes.filter((scope) => !spelled.some((one) => one.scope === scope))
  return [...spelled.map(({ name }) => name), ...others].join(' ')
}

/** Whether these scopes show the account's id to the app. */
export function namesAccount(scopes: readonly string[]): boolean {
  return scopes.includes(OPENID) || scopes.includes('ServiceID')
}

/** Removes scopes that the app's current approval no longer includes. */
export function scopesWithin(scopes: readonly string[], approved: readonly string[]): string[] {
  return scopes.filter((scope) => approved.includes(scope))
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
