import { z } from 'zod'
import { type AllowedHost, hostOfUrl } from './hosts.ts'
import { httpUrl } from './http-url.ts'
import type { SocialConfig } from './social-settings.ts'

const TELEGRAM_API = 'https://api.telegram.org'
const SNAPSHOT_API = 'https://hub.snapshot.org/graphql'

/** Settings of the platforms that only sources query; part of the table in config.ts. */
export const sourceSettings = {
  QUESTBOARD_TELEGRAM_API: httpUrl(TELEGRAM_API)
    .default(TELEGRAM_API)
    .describe("Base URL of Telegram's Bot API, for sources of the kind TELEGRAM_MEMBER."),
  QUESTBOARD_SNAPSHOT_API: httpUrl(SNAPSHOT_API)
    .default(SNAPSHOT_API)
    .describe('URL of the GraphQL API of Snapshot, for sources of the kind SNAPSHOT_ORG.'),
}

type SourceSettings = z.infer<z.ZodObject<typeof sourceSettings>>

/** Hosts of other URLs than the defaults, which may be in a private network. */
export function ownSourceHosts({ QUESTBOARD_TELEGRAM_API, QUESTBOARD_SNAPSHOT_API }: SourceSettings): AllowedHost[] {
  const defaults: readonly string[] = [TELEGRAM_API, SNAPSHOT_API]
  return [QUESTBOARD_TELEGRAM_API, QUESTBOARD_SNAPSHOT_API].filter((url) => !defaults.includes(url)).map(hostOfUrl)
}

/** The base URLs of the platforms that sources of holder lists query. */
export interface SourceSites {
  discord: string
  github: string
  telegram: string
  /** The GraphQL endpoint. */
  snapshot: string
}

export function sourceSites(s: SourceSettings, { discord, github }: SocialConfig): SourceSites {
  return {
    discord: discord.site,
    github: github.api,
    telegram: s.QUESTBOARD_TELEGRAM_API,
    snapshot: s.QUESTBOARD_SNAPSHOT_API,
  }
}
