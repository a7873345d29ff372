import type { Unlisted } from '../schema.ts'

/** A scope. Most are identity kinds. Servers may have more. */
export type Scope =
  | ('Discord' | 'Github' | 'Telegram' | 'Twitter' | 'Email')
  | ('EVMAddress' | 'SolanaAddress' | 'SeiAddress' | 'AptosAddress' | 'InjectiveAddress' | 'FlowAddress')
  | ('ServiceID' | 'openid' | 'quests:claim' | 'mcp')
  | Unlisted

/** The shared identities of a user. */
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

/** Scopes separated by spaces. */
export function scopeText(scopes: readonly Scope[]): string {
  return scopes.join(' ')
}
