import { faultOfIssue } from '../text/fault-of-issue.ts'
import { type Fault } from '../texts/faults.ts'
import { z } from 'zod'
import type { Random } from '../random.ts'
import { evmEvent } from './chain/evm-event.ts'
import { nftHolders } from './chain/nft-holders.ts'
import { solanaTokenHolder } from './chain/solana-token.ts'
import { walletBalance } from './chain/wallet-balance.ts'
import { csv } from './lists/csv.ts'
import { graphql, subgraph } from './lists/graphql.ts'
import { rest } from './lists/rest.ts'
import { api } from './live/api.ts'
import { emailDomain } from './live/email-domain.ts'
import { quiz } from './members/quiz.ts'
import { visitLink } from './members/visit-link.ts'
import { discordMember } from './platforms/discord.ts'
import { githubContributor } from './platforms/github-contributor.ts'
import { githubStar } from './platforms/github-star.ts'
import { snapshotOrg } from './platforms/snapshot-org.ts'
import { telegramMember } from './platforms/telegram.ts'
import type { Act, SourceKind } from './source-kind.ts'
import { isSettings } from './stored-value.ts'

/** The source of the holders of a credential (docs/sync.md). */
const kinds = {
  CSV: csv,
  REST: rest,
  GRAPHQL: graphql,
  SUBGRAPH: subgraph,
  CONTRACT_NFT_HOLDER: nftHolders,
  WALLET_BALANCE: walletBalance,
  EVM_EVENT: evmEvent,
  SOLANA_TOKEN_HOLDER: solanaTokenHolder,
  SNAPSHOT_ORG: snapshotOrg,
  DISCORD_MEMBER: discordMember,
  GITHUB_CONTRIBUTOR: githubContributor,
  GITHUB_STAR: githubStar,
  TELEGRAM_MEMBER: telegramMember,
  EMAIL_DOMAIN: emailDomain,
  QUIZ: quiz,
  VISIT_LINK: visitLink,
  API: api,
} as const

/** Every setting that is not known is refused. */
const sourceSchema = z.discriminatedUnion('kind', [
  csv.schema,
  rest.schema,
  graphql.schema,
  subgraph.schema,
  nftHolders.schema,
  walletBalance.schema,
  evmEvent.schema,
  solanaTokenHolder.schema,
  snapshotOrg.schema,
  discordMember.schema,
  githubContributor.schema,
  githubStar.schema,
  telegramMember.schema,
  emailDomain.schema,
  quiz.schema,
  visitLink.schema,
  api.schema,
])

export type Source = z.output<typeof sourceSchema>
export type SourceKindName = Source['kind']

export const sourceKinds = Object.keys(kinds) as SourceKindName[]

export const kindOf = (name: SourceKindName): SourceKind<z.ZodType<Source>> =>
  kinds[name] as unknown as SourceKind<z.ZodType<Source>>

/** The way in which holders are found: runs, a check of each address, or acts of members. */
export type Mode = 'runs' | 'live' | 'acts'

/** @param name can be the kind of a source that another release has stored */
export function modeOf(name: string): Mode {
  const kind = Object.hasOwn(kinds, name) ? kindOf(name as SourceKindName) : undefined
  if (kind?.act) return 'acts'
  return !kind || kind.list ? 'runs' : 'live'
}

export interface SourceAbility {
  /** Whether runs read a list. */
  lists: boolean
  /** Whether it can check one identity. */
  checks: boolean
  /** The kind of identities that it checks; it does not depend on the type of the credential. */
  identityKind: string | undefined
  /** The act by which members become holders. */
  act: Act | undefined
}

/** @param name can be the kind of a source that another release has stored */
export function abilityOf(name: string): SourceAbility {
  if (!Object.hasOwn(kinds, name)) return { lists: false, checks: false, identityKind: undefined, act: undefined }
  const { list, check, identityKind, act } = kindOf(name as SourceKindName)
  return { lists: list !== undefined, checks: check !== undefined, identityKind, act }
}

/** A source whose holders are read by runs. */
export type ListSource = Extract<Source, { everySeconds: number }>
/** A source that is queried for each address. */
export type LiveSource = Extract<Source, { cacheSeconds: number }>

export const isListSource = (source: Source): source is ListSource => modeOf(source.kind) === 'runs'

/** Whether the source has only checks and no list. */
export const isLiveSource = (source: Source): source is LiveSource => modeOf(source.kind) === 'live'

/** The source to store, without settings that must not be readable later. */
export const concealed = (source: Source, random: Random, stored?: Source): Source =>
  kindOf(source.kind).conceal?.(source, random, stored) ?? source

export interface SourceProblem {
  /** The setting, such as `next.page.parameter`; '' for the whole source. */
  path: string
  message: string
  /** The content of `message`, for texts in other languages. */
  fault?: Fault
}

/** A source that cannot be used; the message names each setting and what is allowed. */
export class SourceRefusedError extends Error {
  override name = 'SourceRefusedError'
  readonly problems: readonly SourceProblem[]

  constructor(problems: readonly SourceProblem[] | string, options?: ErrorOptions) {
    super(typeof problems === 'string' ? problems : describe(problems), options)
    this.problems = typeof problems === 'string' ? [{ path: '', message: problems }] : problems
  }
}

function describe(problems: readonly SourceProblem[]): string {
  const lines = problems.map(({ path, message }) => `  ${path || 'source'}: ${message}`)
  return `This source cannot be used:\n${lines.join('\n')}\nSee docs/sync.md.`
}

/** Describes a problem of a setting in the words of docs/sync.md. If undefined, the text of the schema is used. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, input } = issue
  if (code === 'invalid_type') {
    const expected = issue.expected
    return input === undefined
      ? `is missing; it must be ${TYPES[expected] ?? expected}`
      : `must be ${TYPES[expected] ?? expected}`
  }
  if (code === 'unrecognized_keys') return `has no setting ${issue.keys.map((key) => `"${key}"`).join(', ')}`
  if (code === 'invalid_value') return `must be one of ${(issue.values as unknown[]).join(', ')}`
  if (code === 'invalid_union' && issue.discriminator !== undefined) return `must be one of ${sourceKinds.join(', ')}`
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' elements' : ''
  if (code === 'too_small') return `must be at least ${String(issue.minimum)}${unit}`
  if (code === 'too_big') return `must be at most ${String(issue.maximum)}${unit}`
  return undefined
}

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  boolean: 'true or false',
}

/** @throws SourceRefusedError */
export function parseSource(value: unknown): Source {
  const parsed = sourceSchema.safeParse(value, { error: describeIssue, reportInput: true })
  if (parsed.success) return parsed.data
  throw new SourceRefusedError(parsed.error.issues.flatMap((issue) => problemsOf(issue, value)))
}

/** If the setting has variants, returns only the problems of the variant that the input resembles. */
function problemsOf(issue: z.core.$ZodIssue, value: unknown): SourceProblem[] {
  const { path, message } = issue
  const given = path.reduce<unknown>((part, name) => (part as Record<PropertyKey, unknown> | undefined)?.[name], value)
  const meant =
    issue.code === 'invalid_union' && isSettings(given)
      ? issue.errors.filter((problems) => problems.every(isWithin))
      : []
  const [problems] = meant
  if (meant.length !== 1 || !problems) return [{ path: path.join('.'), message, fault: faultOfIssue(issue) }]
  return problems.map((problem) => ({
    path: [...path, ...problem.path].join('.'),
    message: problem.message,
    fault: faultOfIssue(problem),
  }))
}

/** Whether the problem is about a setting of the variant. Other variants do not have the given settings. */
const isWithin = ({ code, path }: z.core.$ZodIssue): boolean => code !== 'unrecognized_keys' && path.length > 0
