import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

// Rules that give points (docs/rules.md).

export const RULE_KINDS = ['claim', 'award', 'holder', 'log', 'daily', 'multiplier', 'streak', 'referral'] as const
export type RuleKind = (typeof RULE_KINDS)[number]
export const CAP_PERIODS = ['day', 'week', 'month', 'ever'] as const
export type CapPeriod = (typeof CAP_PERIODS)[number]

/** A rule with the settings of all kinds. The service validates it. */
export interface Rule {
  id: string
  kind: RuleKind
  description: string
  from?: string | undefined
  until?: string | undefined
  cap?: { points?: number | undefined; per: CapPeriod } | undefined
  sprint?: boolean
  points?: number | undefined
  quests?: string[] | undefined
  minPoints?: number | undefined
  credential?: string | undefined
  existing?: boolean
  minAmount?: string | undefined
  holdersOf?: string | undefined
  on?: 'claim' | 'award'
  factor?: number | undefined
  days?: number | undefined
  repeat?: boolean
  claims?: 'first' | 'all'
  percent?: number | undefined
}

export interface RuleSet {
  version: number
  createdAt: string
  rules: Rule[]
}

export interface Version {
  version: number
  createdAt: string
  /** Null if a command created the version. */
  createdBy: { id: string; username: string | null } | null
  rules: number
}

export interface Change {
  before: number
  after: number
}

/** The differences in the points of members. */
export interface Differences {
  since: string
  events: number
  rules: ({ id: string } & Change)[]
  members: number
  /** The largest ones. */
  differences: ({ address: string; difference: number } & Change)[]
}

const pathOf = (spaceId: number) => `/api/spaces/${spaceId}/rules`

/**
 * The rules in force; null in a space without rules. The list of versions comes first, because browsers log the 404 of rules
 * that do not exist as an error.
 */
export const rulesQuery = (spaceId: number) =>
  queryOptions({
    queryKey: ['rules', spaceId],
    queryFn: async () => {
      const { versions } = await readVersions(spaceId, null)
      return versions.length === 0 ? null : send<RuleSet>('GET', pathOf(spaceId))
    },
    staleTime: 0,
  })

/** A version, which never changes. */
export const ruleVersionQuery = (spaceId: number, version: number) =>
  queryOptions({
    queryKey: ['rule-version', spaceId, version],
    queryFn: () => send<RuleSet>('GET', `${pathOf(spaceId)}?version=${version}`),
    staleTime: Infinity,
  })

const readVersions = (spaceId: number, before: number | null) =>
  send<{ versions: Version[]; next: number | null }>(
    'GET',
    `${pathOf(spaceId)}/versions${before === null ? '' : `?before=${before}`}`,
  )

export const versionsQuery = (spaceId: number) =>
  infiniteQueryOptions({
    queryKey: ['rules', spaceId, 'versions'],
    queryFn: ({ pageParam }) => readVersions(spaceId, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  })

const sinceOf = (since: string | null) => since !== null && { since }

/** @param version the version that the rules are based on; 0: none */
export const publishRules = (spaceId: number, version: number, rules: readonly Rule[]) =>
  changing(spaceId, change<RuleSet>('PUT', pathOf(spaceId), { version, rules }))

/** Compares rules with the points of the past. Stores nothing. */
export const compareRules = (spaceId: number, rules: readonly Rule[], since: string | null) =>
  change<Differences>('POST', `${pathOf(spaceId)}/dry-run`, { rules, ...sinceOf(since) })

export const replayRules = (spaceId: number, version: number, since: string | null) =>
  changing(spaceId, change<Differences>('POST', `${pathOf(spaceId)}/replay`, { version, ...sinceOf(since) }))

async function changing<T>(spaceId: number, work: Promise<T>): Promise<T> {
  const result = await work
  await queryClient.invalidateQueries({ queryKey: ['rules', spaceId] })
  await queryClient.invalidateQueries({ queryKey: ['ledger', spaceId] })
  return result
}
