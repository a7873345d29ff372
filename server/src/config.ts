import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { DAY, SECOND } from './clock.ts'
import { type Brand, brandOf, brandSettings } from './settings/brand.ts'
import { configuredHosts, type IdentityConfig, identityConfig, identitySettings } from './settings/identity-settings.ts'
import { installationFolder } from './settings/installation-folder.ts'
import { type AllowedHost, parseAllowedHosts } from './settings/hosts.ts'
import { nodeUrls } from './settings/node-urls.ts'
import { withFiles } from './settings/settings-from-files.ts'
import { isPrivateKey } from './secrets/ethereum-key.ts'
import { ownSourceHosts, type SourceSites, sourceSettings, sourceSites } from './settings/source-sites.ts'
import { findUnknownSettings, type UnknownSetting } from './settings/unknown-settings.ts'

function integer(min: number, max: number) {
  const allowed = `must be a whole number from ${min} to ${max}`
  return z.coerce.number({ error: allowed }).int(allowed).min(min, allowed).max(max, allowed)
}

const onOff = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true')
const URL_SHAPE = 'must be a URL such as postgres://user:password@host:5432/database'

/** libpq's `allow` is missing: it tries a connection without TLS first, which the driver does not do. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/**
 * Explains to the operator why a text is not a PostgreSQL URL, without showing the password; undefined if it is one.
 */
function databaseUrlProblem(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return URL_SHAPE
  const password = /^\w+:\/\/[^:/@]*:(.*)@/s.exec(text)?.[1] ?? ''
  const unescaped = /[#/?[\]\s]|%(?![0-9a-f]{2})/i.exec(password)?.[0]
  if (unescaped !== undefined) return `has "${unescaped}" in its password: write it as ${percentEncoded(unescaped)}`
  if (/^\w+:\/\/[^/?]*@(\/|$)/.test(text))
    return 'has a user and no host: write user@localhost, even if ?host=/folder is a socket'
  if (!URL.canParse(text)) return URL_SHAPE
  const unknown = new URL(text).searchParams.getAll('sslmode').find((mode) => !SSL_MODES.includes(mode))
  return unknown === undefined ? undefined : `has the unknown sslmode "${unknown}"; allowed: ${SSL_MODES.join(', ')}`
}

const percentEncoded = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`

const postgresUrl = z.string().superRefine((text, context) => {
  const message = databaseUrlProblem(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})
const hostList = () =>
  z
    .string()
    .default('')
    .refine((text) => parseAllowedHosts(text) !== undefined, 'must be host or host:port, several separated by commas')
const urlList = (text: string) =>
  text
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '')
/** Whether the text lists IP addresses, with or without prefix lengths, separated by commas. */
function areAddressRanges(text: string): boolean {
  return text.split(',').every((range) => {
    const [address = '', prefix, ...more] = range.trim().split('/')
    const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
    return bits > 0 && more.length === 0 && length <= bits
  })
}
function headerList(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').flatMap((pair) => (pair.trim() === '' ? [] : [/^([\w-]+)=(.*)$/.exec(pair.trim())]))
  try {
    return Object.fromEntries(pairs.map((pair) => [(pair?.[1] ?? '').toLowerCase(), decodeURIComponent(pair![2]!)]))
  } catch {
    return undefined // not a pair, or invalid percent-encoding
  }
}
/** The default of WORKERS is at most this, so that all connections stay below PostgreSQL's default limit of 100. */
export const MAX_DEFAULT_WORKERS = 8
const share = (all: number, workers: number, min: number, max: number) =>
  Math.max(min, Math.min(max, Math.floor(all / workers)))
const positive = integer(1, 2_147_483_647)

/** All settings by environment variable. A test compares docs/settings.md with this table. */
const settings = z.object({
  PORT: integer(0, 65_535).default(4000).describe('Port of the HTTP service. 0 selects a free port.'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address that the service listens on.'),
  WORKERS: integer(1, 64)
    .optional()
    .describe(
      'Number of processes that serve requests. 1 runs everything in one process. Default: the number of available cores, up to 8.',
    ),
  DATABASE_URL: postgresUrl
    .optional()
    .describe('URL of a PostgreSQL 15 to 18 database. If it is not set, the service starts an embedded PostgreSQL 18.'),
  DATABASE_READ_URLS: z
    .string()
    .default('')
    .refine((text) => urlList(text).every((url) => postgresUrl.safeParse(url).success), {
      error: 'must be URLs such as postgres://user:password@replica:5432/database, separated by commas',
    })
    .describe('URLs of streaming replicas of that database, separated by commas. They serve reads of POST /query.'),
  DATABASE_NODE_URLS: z
    .string()
    .default('')
    .refine((text) => [...(nodeUrls(text)?.values() ?? [])].every((url) => postgresUrl.safeParse(url).success), {
      error:
        'must be off, or HOST:PORT=URL such as worker-1:5432=postgres://user:password@10.0.0.2/database, separated by commas',
    })
    .describe(
      'URLs of nodes of a cluster, if they differ from DATABASE_URL with the address of the node: HOST:PORT=URL, separated by commas. off: the coordinator executes all reads.',
    ),
  QUESTBOARD_DATA_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of the embedded database, the secret and the demo token. Default: the folder data of the checkout. If the current folder is outside the checkout and its folder data contains files of the service, the default is that folder.',
    ),
  QUESTBOARD_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL such as https://board.example.com' })
    .optional()
    .describe('URL at which users reach the service. The service uses it in links. Default: http://localhost:PORT.'),
  ...brandSettings,
  QUESTBOARD_DEMO: onOff
    .optional()
    .describe('Load demo data into an empty database at the start. Default: true, or false if NODE_ENV is production.'),
  QUESTBOARD_FREE_PER_SECOND: positive.default(10).describe('Queries per second and token on the plan "free".'),
  QUESTBOARD_FREE_PER_DAY: positive.default(1000).describe('Queries per UTC day and token on the plan "free".'),
  QUESTBOARD_STARBOARD_REFRESH_SECONDS: positive
    .max(86_400, 'must be at most 86400')
    .default(60)
    .describe(
      'Seconds between two rankings of a starboard without new samples. New samples are ranked within seconds.',
    ),
  QUESTBOARD_OUTGOING_HOSTS: hostList().describe(
    'Hosts in private networks that the service may send requests to: host or host:port, separated by commas. Public addresses need no entry.',
  ),
  QUESTBOARD_WEBHOOK_HOSTS: hostList().describe(
    'Hosts in private networks that webhooks of operators and back-channel logout URIs of apps may use. URLs of these hosts may be http. Format: host or host:port, separated by commas.',
  ),
  QUESTBOARD_CLIENT_HOSTS: hostList().describe(
    'Hosts whose clients may sign users in to /mcp without registration, by a client ID metadata document: host or host:port, separated by commas. Default: none.',
  ),
  QUESTBOARD_LIVE_STREAMS: integer(0, 100_000)
    .default(10_000)
    .describe('Maximum open streams of live boards per worker. 0 turns them off.'),
  QUESTBOARD_STOP_NOTICE_SECONDS: integer(0, 300)
    .default(2)
    .describe(
      'Seconds between SIGTERM and the stop. /readyz returns 503 during this time, so load balancers can remove the instance.',
    ),
  QUESTBOARD_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be trace, debug, info, warn, error or silent')
    .default('info')
    .describe('Lowest level that the service logs.'),
  QUESTBOARD_DATABASE_CONNECTIONS: positive
    .max(64)
    .optional()
    .describe(
      'Read connections of each worker. Default: 24 connections divided by WORKERS, at least 1 and at most 4 for each.',
    ),
  QUESTBOARD_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .optional()
    .describe(
      'Secret of the installation, at least 32 characters, the same for all instances. Default: a file in QUESTBOARD_DATA_DIR, created at the first start.',
    ),
  QUESTBOARD_OTHER_SECRETS: z
    .string()
    .transform((text) => text.split(/\r?\n/).filter((secret) => secret !== ''))
    .refine((secrets) => secrets.every((secret) => secret.length >= 32), 'must have at least 32 characters each')
    .optional()
    .describe('Other secrets that are accepted while you replace QUESTBOARD_SECRET, one per line.'),
  QUESTBOARD_STATEMENT_KEY: z
    .string()
    .refine(isPrivateKey, 'must be a secp256k1 private key: 0x and 64 hexadecimal digits')
    .optional()
    .describe(
      'Private key that signs statements of snapshots as EIP-712: 0x and 64 hexadecimal digits. Default: none; statements are JWTs only.',
    ),
  QUESTBOARD_NEW_ACCOUNTS_PER_NETWORK: integer(1, 1_000_000)
    .default(200)
    .describe('Maximum new accounts per hour and network. Sign-ins to existing accounts do not count.'),
  QUESTBOARD_AUDIT_DAYS: integer(30, 3650).default(400).describe('Days for which the service keeps security events.'),
  QUESTBOARD_TRUSTED_PROXIES: z
    .string()
    .refine(areAddressRanges, 'must be IP addresses or CIDR ranges, separated by commas')
    .optional()
    .describe(
      'Reverse proxies whose X-Forwarded-For is trusted: IP addresses or CIDR ranges, separated by commas. Default: none.',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL such as http://localhost:4318' })
    .optional()
    .describe('URL of an OpenTelemetry collector for traces (OTLP over HTTP, JSON). If it is not set, tracing is off.'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .refine((text) => headerList(text) !== undefined, 'must be NAME=VALUE, several separated by commas')
    .describe(
      'Headers for the collector, such as an API key: NAME=VALUE, separated by commas, values percent-encoded.',
    ),
  OTEL_SERVICE_NAME: z.string().min(1).default('questboard').describe('Service name in traces.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a number from 0 to 1' })
    .min(0, 'must be a number from 0 to 1')
    .max(1, 'must be a number from 0 to 1')
    .default(1)
    .describe(
      'Share of requests that are traced, from 0 to 1. The sampling flag of a traceparent header takes precedence.',
    ),
  ...identitySettings,
  ...sourceSettings,
  NODE_ENV: z
    .string()
    .optional()
    .describe('"production" turns off the demo data by default, and writes JSON logs even on a terminal.'),
})

export type Settings = z.infer<typeof settings>

const settingNames = Object.keys(settings.shape) as (keyof Settings)[]

export interface Config {
  port: number
  host: string
  workers: number
  databaseUrl: string | undefined
  /** Replicas for reads of POST /query. */
  readUrls: string[]
  /** URLs of nodes of a cluster, by host:port; undefined if the coordinator executes all reads. */
  nodeUrls: ReadonlyMap<string, string> | undefined
  dataDir: string
  publicUrl: string | undefined
  brand: Brand
  demo: boolean
  freePlan: { perSecond: number; perDay: number }
  /** Milliseconds. */
  starboardRefreshInterval: number
  outgoingHosts: AllowedHost[]
  webhookHosts: AllowedHost[]
  /** Hosts of clients with a metadata document. */
  clientHosts: AllowedHost[]
  /** The maximum number of streams of each worker. */
  liveStreams: number
  /** Milliseconds. */
  stopNotice: number
  logLevel: Settings['QUESTBOARD_LOG_LEVEL']
  readConnections: number
  /** Maximum other connections of each process that serves requests. */
  poolSize: number
  secret: string | undefined
  otherSecrets: string[]
  /** Signs EIP-712 statements. */
  statementKey: Uint8Array | undefined
  /** Per hour. */
  newAccountsPerNetwork: number
  /** Milliseconds. */
  auditRetention: number
  trustedProxies: string[] | false
  /** The collector of traces; undefined if tracing is off. */
  traces: { endpoint: string; headers: Record<string, string>; serviceName: string; ratio: number } | undefined
  identity: IdentityConfig
  /** The base URLs of the platforms that sources of holder lists query. */
  sites: SourceSites
  production: boolean
  /** Variables that begin with QUESTBOARD_ but are not settings. */
  unknown: UnknownSetting[]
}

/** Invalid settings; the message lists each one with the allowed values. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** The settings that are needed to open the database. */
export const databaseSettings = ['DATABASE_URL', 'QUESTBOARD_DATA_DIR', 'QUESTBOARD_DATABASE_CONNECTIONS'] as const

/** Resolves settings in files: `DATABASE_URL_FILE` names the file of `DATABASE_URL`. */
export const withSettingFiles = (environment: Record<string, string | undefined>) =>
  withFiles(environment, settingNames).environment

/**
 * Validates the variables of the environment, and returns the settings.
 * @param needed the settings that the caller uses; other invalid settings count as unset
 * @throws ConfigError that lists all invalid needed settings
 */
export function loadConfig(
  variables: Record<string, string | undefined>,
  needed: readonly (keyof Settings)[] = settingNames,
): Config {
  const isNeeded = new Set<string>(needed)
  const { environment, problems } = withFiles(variables, settingNames)
  refuse(problems.filter(({ name }) => isNeeded.has(name)).map(({ name, says }) => `${name} ${says}`))
  const unusable = settingNames.filter(
    (name) => !isNeeded.has(name) && !settings.shape[name].safeParse(environment[name] || undefined).success,
  )
  const without = new Set<string>(unusable)
  const present = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => value !== '' && !without.has(name)),
  )
  const parsed = settings.safeParse(present)
  if (!parsed.success) refuse(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`))
  const s = parsed.data as Settings
  const production = s.NODE_ENV === 'production'
  const identity = identityConfig(s)
  const sites = sourceSites(s, identity)
  const workers = s.WORKERS ?? Math.min(availableParallelism(), MAX_DEFAULT_WORKERS)
  return {
    port: s.PORT,
    host: s.HOST,
    workers,
    databaseUrl: s.DATABASE_URL,
    readUrls: urlList(s.DATABASE_READ_URLS),
    nodeUrls: nodeUrls(s.DATABASE_NODE_URLS),
    dataDir: resolve(s.QUESTBOARD_DATA_DIR ?? installationFolder(process.cwd())),
    publicUrl: s.QUESTBOARD_PUBLIC_URL?.replace(/\/$/, ''),
    brand: brandOf(s),
    demo: s.QUESTBOARD_DEMO ?? !production,
    freePlan: { perSecond: s.QUESTBOARD_FREE_PER_SECOND, perDay: s.QUESTBOARD_FREE_PER_DAY },
    starboardRefreshInterval: s.QUESTBOARD_STARBOARD_REFRESH_SECONDS * SECOND,
    outgoingHosts: [
      ...(parseAllowedHosts(s.QUESTBOARD_OUTGOING_HOSTS) ?? []),
      ...configuredHosts(identity),
      ...ownSourceHosts(s),
    ],
    webhookHosts: parseAllowedHosts(s.QUESTBOARD_WEBHOOK_HOSTS) ?? [],
    clientHosts: (parseAllowedHosts(s.QUESTBOARD_CLIENT_HOSTS) ?? []).map(({ hostname, port = 443 }) => ({
      hostname,
      port,
    })),
    liveStreams: s.QUESTBOARD_LIVE_STREAMS,
    stopNotice: s.QUESTBOARD_STOP_NOTICE_SECONDS * SECOND,
    logLevel: s.QUESTBOARD_LOG_LEVEL,
    readConnections: s.QUESTBOARD_DATABASE_CONNECTIONS ?? share(24, workers, 1, 4),
    poolSize: share(48, workers, 6, 10),
    secret: s.QUESTBOARD_SECRET,
    otherSecrets: s.QUESTBOARD_OTHER_SECRETS ?? [],
    statementKey:
      s.QUESTBOARD_STATEMENT_KEY === undefined ? undefined : Buffer.from(s.QUESTBOARD_STATEMENT_KEY.slice(2), 'hex'),
    newAccountsPerNetwork: s.QUESTBOARD_NEW_ACCOUNTS_PER_NETWORK,
    auditRetention: s.QUESTBOARD_AUDIT_DAYS * DAY,
    trustedProxies: s.QUESTBOARD_TRUSTED_PROXIES?.split(',').map((address) => address.trim()) ?? false,
    traces: s.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? undefined : tracesConfig(s, s.OTEL_EXPORTER_OTLP_ENDPOINT),
    identity,
    sites,
    production,
    unknown: findUnknownSettings(variables, settingNames),
  }
}

const tracesConfig = (s: Settings, endpoint: string): Config['traces'] => ({
  endpoint,
  headers: headerList(s.OTEL_EXPORTER_OTLP_HEADERS) ?? {},
  serviceName: s.OTEL_SERVICE_NAME,
  ratio: s.OTEL_TRACES_SAMPLER_ARG,
})

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return
  const lines = problems.map((line) => `  ${line}`)
  throw new ConfigError(`Invalid settings:\n${lines.join('\n')}\ndocs/settings.md describes every setting.`)
}

/** Names, descriptions and defaults of all settings, for the documentation and `questboard config`. */
export function describeSettings(): { name: string; description: string; staticDefault: string }[] {
  return Object.entries(settings.shape).map(([name, schema]) => {
    const { data } = schema.safeParse(undefined)
    const staticDefault = data === undefined || typeof data === 'object' ? '' : String(data)
    return { name, description: schema.description ?? '', staticDefault }
  })
}
