import type { Unlisted } from '../schema.ts'

/** An identity kind, which is a scope too (specification 4.5); servers may know more. */
export type Scope =
  | ('Discord' | 'Github' | 'Telegram' | 'Twitter' | 'Email')
  | ('EVMAddress' | 'SolanaAddress' | 'SeiAddress' | 'AptosAddress' | 'InjectiveAddress' | 'FlowAddress')
  | ('ServiceID' | 'openid')
  | Unlisted

/** A user's identities, as far as the user has and shares them. */
export interface UserData {
  TwitterUsername?: string
  TwitterUserID?: string
  DiscordUsername?: string
  DiscordUserID?: string
  GithubUsername?: string
  GithubUserID?: string
  TelegramUsername?: string
  TelegramUserID?: string
  Email?: string
  EVMAddress?: string
  SolanaAddress?: string
  SeiAddress?: string
  AptosAddress?: string
  InjectiveAddress?: string
  FlowAddress?: string
  ServiceID?: string
  ServiceUserID?: string
  [key: string]: unknown
}

/** Scopes as the interface sends them: separated by spaces. */
export function scopeText(scopes: readonly Scope[]): string {
  return scopes.join(' ')
}
