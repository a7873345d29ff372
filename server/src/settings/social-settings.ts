import { z } from 'zod'
import { httpUrl } from './http-url.ts'

const clientId = (where: string) =>
  z.string().min(1).optional().describe(`OAuth client id from ${where}. If it is not set, the identity kind is off.`)
const clientSecret = z.string().min(1).optional().describe('Secret of that OAuth client.')
const base = (url: string, of: string) => httpUrl(url).default(url).describe(`Base URL of ${of}.`)

export const socialSettings = {
  QUESTBOARD_DISCORD_CLIENT_ID: clientId('discord.com/developers/applications'),
  QUESTBOARD_DISCORD_CLIENT_SECRET: clientSecret,
  QUESTBOARD_DISCORD_SITE: base('https://discord.com', 'Discord'),
  QUESTBOARD_GITHUB_CLIENT_ID: clientId('github.com/settings/developers'),
  QUESTBOARD_GITHUB_CLIENT_SECRET: clientSecret,
  QUESTBOARD_GITHUB_SITE: base('https://github.com', "GitHub's pages"),
  QUESTBOARD_GITHUB_API: base('https://api.github.com', "GitHub's API"),
  QUESTBOARD_TWITTER_CLIENT_ID: clientId('developer.x.com (OAuth 2.0, confidential client)'),
  QUESTBOARD_TWITTER_CLIENT_SECRET: clientSecret,
  QUESTBOARD_TWITTER_SITE: base('https://x.com', "X's pages"),
  QUESTBOARD_TWITTER_API: base('https://api.x.com', "X's API"),
  QUESTBOARD_TELEGRAM_CLIENT_ID: clientId('@BotFather (Web Login)'),
  QUESTBOARD_TELEGRAM_CLIENT_SECRET: clientSecret,
  QUESTBOARD_TELEGRAM_ISSUER: base('https://oauth.telegram.org', "Telegram's OpenID provider"),
  QUESTBOARD_TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^\d{1,20}:[A-Za-z0-9_-]{10,100}$/, 'must be a bot token such as 123456:ABC…')
    .optional()
    .describe(
      'Token of a Telegram bot. Turns on the older login widget if the OpenID sign-in of Telegram is not configured.',
    ),
  QUESTBOARD_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL such as smtps://user:password@host:465' })
    .optional()
    .describe('URL of the mail server that sends sign-in codes. If it is not set, the identity kind Email is off.'),
  QUESTBOARD_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]{3,320}$/, 'must be an address such as Questboard <no-reply@example.com>')
    .optional()
    .describe('Sender of mails. Required with QUESTBOARD_SMTP_URL.'),
}

type SocialSettings = z.infer<z.ZodObject<typeof socialSettings>>

export interface UpstreamClient {
  clientId: string
  clientSecret: string
}

export interface SocialConfig {
  discord: { client: UpstreamClient | undefined; site: string }
  github: { client: UpstreamClient | undefined; site: string; api: string }
  twitter: { client: UpstreamClient | undefined; site: string; api: string }
  telegram: { client: UpstreamClient | undefined; issuer: string; botToken: string | undefined }
  mail: { server: string; from: string } | undefined
  /** The settings that each service still needs; empty if it is on. */
  unset: Record<keyof typeof pairs, readonly string[]>
  /** Settings that are missing while others of the same kind are set, so that the kind is off by mistake. */
  missing: string[]
}

/** A service is on if both of its settings are set. */
const pairs = {
  discord: ['QUESTBOARD_DISCORD_CLIENT_ID', 'QUESTBOARD_DISCORD_CLIENT_SECRET'],
  github: ['QUESTBOARD_GITHUB_CLIENT_ID', 'QUESTBOARD_GITHUB_CLIENT_SECRET'],
  twitter: ['QUESTBOARD_TWITTER_CLIENT_ID', 'QUESTBOARD_TWITTER_CLIENT_SECRET'],
  telegram: ['QUESTBOARD_TELEGRAM_CLIENT_ID', 'QUESTBOARD_TELEGRAM_CLIENT_SECRET'],
  mail: ['QUESTBOARD_SMTP_URL', 'QUESTBOARD_MAIL_FROM'],
} as const

export function socialConfig(s: SocialSettings): SocialConfig {
  const unsetOf = (pair: (typeof pairs)[keyof typeof pairs]) => pair.filter((setting) => s[setting] === undefined)
  const unset = {
    discord: unsetOf(pairs.discord),
    github: unsetOf(pairs.github),
    twitter: unsetOf(pairs.twitter),
    telegram: unsetOf(pairs.telegram),
    mail: unsetOf(pairs.mail),
  }
  return {
    discord: {
      client: clientOf(s.QUESTBOARD_DISCORD_CLIENT_ID, s.QUESTBOARD_DISCORD_CLIENT_SECRET),
      site: s.QUESTBOARD_DISCORD_SITE,
    },
    github: {
      client: clientOf(s.QUESTBOARD_GITHUB_CLIENT_ID, s.QUESTBOARD_GITHUB_CLIENT_SECRET),
      site: s.QUESTBOARD_GITHUB_SITE,
      api: s.QUESTBOARD_GITHUB_API,
    },
    twitter: {
      client: clientOf(s.QUESTBOARD_TWITTER_CLIENT_ID, s.QUESTBOARD_TWITTER_CLIENT_SECRET),
      site: s.QUESTBOARD_TWITTER_SITE,
      api: s.QUESTBOARD_TWITTER_API,
    },
    telegram: {
      client: clientOf(s.QUESTBOARD_TELEGRAM_CLIENT_ID, s.QUESTBOARD_TELEGRAM_CLIENT_SECRET),
      issuer: s.QUESTBOARD_TELEGRAM_ISSUER,
      botToken: s.QUESTBOARD_TELEGRAM_BOT_TOKEN,
    },
    mail:
      s.QUESTBOARD_SMTP_URL === undefined || s.QUESTBOARD_MAIL_FROM === undefined
        ? undefined
        : { server: s.QUESTBOARD_SMTP_URL, from: s.QUESTBOARD_MAIL_FROM },
    unset,
    missing: Object.values(unset).flatMap((settings) => (settings.length === 1 ? settings : [])),
  }
}

/** The reason why a service is off, with its missing settings; undefined if it is on. */
export const whyOff = (unset: readonly string[]): string | undefined => (unset.length === 0 ? undefined : notSet(unset))

export const notSet = (settings: readonly string[]): string =>
  `${settings.join(' and ')} ${settings.length === 1 ? 'is' : 'are'} not set`

/** The places that are asked over HTTP. */
export function socialUrls({ discord, github, twitter, telegram }: SocialConfig): string[] {
  return [discord.site, github.site, github.api, twitter.api, telegram.issuer]
}

function clientOf(clientId: string | undefined, clientSecret: string | undefined): UpstreamClient | undefined {
  return clientId === undefined || clientSecret === undefined ? undefined : { clientId, clientSecret }
}
