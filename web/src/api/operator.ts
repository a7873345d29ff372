import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { FindingMessage } from '../../../server/src/texts/findings.ts'
import type { EventNames, SecurityEvent } from './account.ts'
import type { AppStatus, OwnApp } from './apps.ts'
import { send } from './call.ts'
import { change, type Identity, queryClient, sessionQuery } from './session.ts'
import type { ServerToken, Usage } from './tokens.ts'

export interface ReviewedApp extends OwnApp {
  ownerAccountId: string
  /** Undefined if the account has ended. */
  owner: string | undefined
  decidedAt: string | null
  /** The client_id of a client that no one registered. */
  metadataUrl: string | null
}

export type Decision = 'approve' | 'refuse' | 'suspend' | 'resume' | 'accept-changes' | 'refuse-changes'

/** The filter of the list: `waiting` selects apps that need a decision, for themselves or for new redirect URIs. */
export type AppFilter = AppStatus | 'waiting' | ''

export interface PlanLimits {
  perSecond: number | null
  perDay: number | null
  /** Whether accounts may choose the plan for their tokens. */
  open: boolean
}

export interface Plan extends PlanLimits {
  /** The name of the plan, which is its key. */
  plan: string
  tokens: number
  fromSettings: boolean
}

export interface Sync {
  credentialId: string
  name: string
  kind: string
  host: string
  holders: number
  syncStatus: string
  state: 'waiting' | 'running' | 'done' | 'failed' | 'held'
  reason: string | null
  failures: number
  /** Null if the source is requested for each query, or by acts of members. */
  everySeconds: number | null
  mode: 'runs' | 'live' | 'acts'
  nextRunAt: string | null
  lastSuccessAt: string | null
}

export interface Finding {
  name: string
  state: 'ok' | 'off' | 'note' | 'problem'
  says: string
  advice: string | null
  check: string
  subject: string | null
  message: { code: string; parameters: FindingMessage['parameters'] }
}

/** Whether a one-time link is valid. The code is in the body, so that no log contains it. */
export const invitationQuery = (code: string) =>
  queryOptions({
    queryKey: ['operator-invitation', code],
    queryFn: () => change<{ expiresAt: string }>('POST', '/api/operator/invitations/view', { code }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** Makes the signed-in account an operator. */
export async function acceptInvitation(code: string): Promise<void> {
  await change('POST', '/api/operator/invitations/accept', { code })
  await queryClient.fetchQuery(sessionQuery)
}

/** A webhook with late messages, or one that was disabled because all deliveries failed. */
export interface LateOrDisabledWebhook {
  id: string
  host: string
  accountId: string
  /** null if the owner has no username. */
  username: string | null
  disabledAt: string | null
  disabledReason: string | null
  failingSince: string | null
  pausedUntil: string | null
  late: number
  lateSince: string | null
}

export interface Health {
  checkedAt: string
  work: Record<string, number>
  webhooks: LateOrDisabledWebhook[]
  findings: Finding[]
}

const path = '/api/operator'
const key = (...parts: unknown[]) => ['operator', ...parts]

export const reviewedAppsQuery = (filter: AppFilter) =>
  queryOptions({
    queryKey: key('apps', filter),
    queryFn: async () => {
      const { apps, usernames } = await send<{ apps: ReviewedApp[]; usernames: Record<string, string> }>(
        'GET',
        `${path}/apps${filter === '' ? '' : `?status=${filter}`}`,
      )
      return apps.map((app) => ({ ...app, owner: usernames[app.ownerAccountId] }))
    },
  })

/** The work that waits for an operator. */
export interface Inbox {
  appsPending: number
  appChanges: number
  syncsFailed: number
  syncsHeld: number
  deliveriesLate: number
  webhooksDisabled: number
  bansEnding: number
}

export const inboxQuery = queryOptions({
  queryKey: key('inbox'),
  queryFn: () => send<Inbox>('GET', `${path}/inbox`),
  staleTime: 0,
})

export const plansQuery = queryOptions({
  queryKey: key('plans'),
  queryFn: () => send<{ plans: Plan[] }>('GET', `${path}/plans`),
})

/** The owner of the tokens. */
export interface FoundAccount {
  id: string
  username: string
  createdAt: string
  identities: Identity[]
}

export const accountTokensQuery = (account: string) =>
  queryOptions({
    queryKey: key('tokens', account),
    queryFn: () =>
      send<{ account: FoundAccount; tokens: ServerToken[] }>(
        'GET',
        `${path}/tokens?account=${encodeURIComponent(account)}`,
      ),
    enabled: account !== '',
  })

const WATCH_MS = 2_000

/** Read again while one runs. */
export const syncsQuery = queryOptions({
  queryKey: key('syncs'),
  queryFn: () => send<{ syncs: Sync[] }>('GET', `${path}/syncs`),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.syncs.some((sync) => sync.state === 'running') ? WATCH_MS : false),
})

/** Each examination contacts all machines of the settings. */
const EXAMINE_MS = 600_000

export const healthQuery = queryOptions({
  queryKey: key('health'),
  queryFn: () => send<Health>('GET', `${path}/health`),
  staleTime: EXAMINE_MS,
  refetchInterval: EXAMINE_MS,
  refetchOnWindowFocus: false,
})

/** Runs the checks of `healthQuery` now. */
export async function checkHealthAgain(): Promise<void> {
  const health = await send<Health>('GET', `${path}/health?again=true`)
  queryClient.setQueryData(healthQuery.queryKey, health)
}

interface AllUsage {
  since: string
  latencyBounds: number[]
  days: { day: string; statuses: { status: number; requests: number }[]; latencies: number[] }[]
}

const USAGE_MS = 60_000

/** The requests of all tokens, as those of one token. Read again while the page is open. */
export const allUsageQuery = (days: number) =>
  queryOptions({
    queryKey: key('usage', days),
    queryFn: async (): Promise<Usage> => {
      const { days: found, ...rest } = await send<AllUsage>('GET', `${path}/usage?days=${days}`)
      const counts = found.flatMap(({ day, statuses, latencies }) =>
        statuses.map((count, place) => ({ day, operation: '', ...count, latencies: place === 0 ? latencies : [] })),
      )
      const quota = { plan: '', perSecond: null, perDay: null }
      return { ...rest, usage: [{ tokenId: '', name: '', quota, days: counts }] }
    },
    staleTime: 0,
    refetchInterval: USAGE_MS,
  })

export type LoggedEvent = SecurityEvent & { accountId: string }

const EVENTS_PER_PAGE = 50

/** The newest events of all accounts; of one account, of one name. */
export const logQuery = (account: string, event: string) =>
  infiniteQueryOptions({
    queryKey: key('audit', account, event),
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({
        first: String(EVENTS_PER_PAGE),
        ...(account !== '' && { account }),
        ...(event !== '' && { event }),
        ...(pageParam !== null && { before: pageParam }),
      })
      return send<EventNames & { events: LoggedEvent[]; next: string | null }>('GET', `${path}/audit?${query}`)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

export const decideApp = (clientId: string, decision: Decision, details: { reason: string; revision: number }) =>
  changing(change('POST', `${path}/apps/${clientId}/${decision}`, details))
export const savePlan = (plan: string, limits: PlanLimits) => changing(change('PUT', `${path}/plans/${plan}`, limits))
export const makePlan = (plan: Pick<Plan, 'plan'> & PlanLimits) => changing(change('POST', `${path}/plans`, plan))
export const removePlan = (plan: string) => changing(change('DELETE', `${path}/plans/${plan}`))
export const putOnPlan = (tokenId: string, plan: string) =>
  changing(change('PUT', `${path}/tokens/${tokenId}/plan`, { plan }))
export const runSync = (credentialId: string, options: { confirm: boolean }) =>
  changing(change('POST', `${path}/syncs/${credentialId}/run`, options))

async function changing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } finally {
    // After an error, the page may be outdated too.
    await queryClient.invalidateQueries({ queryKey: key() })
  }
}
