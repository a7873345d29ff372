import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

/** The fields that the owner of a webhook edits. */
export interface WebhookForm {
  url: string
  description: string
  events: string[]
  spaceIds: number[]
  starboardIds: string[]
  /** Decimal digits, because some are greater than 2^53. */
  credentialIds: string[]
  minPoints: number
  top: number
}

export interface Webhook extends WebhookForm {
  id: string
  createdAt: string
  enabled: boolean
  disabledReason: string | null
  failingSince: string | null
  pausedUntil: string | null
}

export type DeliveryState = 'pending' | 'delivered' | 'failed'

export interface Delivery {
  id: string
  event: string
  state: DeliveryState
  createdAt: string
  nextAttemptAt: string | null
  attempts: number
  lastStatus: number | null
  lastError: string | null
}

export interface DeliveryAttempt {
  attempt: number
  startedAt: string
  durationMs: number
  /** null if the receiver did not respond. */
  status: number | null
  error: string | null
  /** The beginning of the response body. */
  response: string
}

export type DeliveryDetail = Delivery & {
  /** The body of the request. */
  payload: string
  /** The attempts, oldest first. */
  log: DeliveryAttempt[]
}

export type IssuedWebhook = Webhook & { secret: string }

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  /** `eventTypes`: the event types with their descriptions. */
  queryFn: () => send<{ webhooks: Webhook[]; eventTypes: Record<string, string> }>('GET', '/api/webhooks'),
})

const REFRESH_MS = 5_000

/** The deliveries of a webhook, newest first, reloaded while the page is visible. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', id],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ limit: '20', ...(pageParam !== null && { before: pageParam }) })
      return send<{ deliveries: Delivery[]; next: string | null }>('GET', `/api/webhooks/${id}/deliveries?${query}`)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    // A reader of older pages does not need updates of the newest one.
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : REFRESH_MS),
  })

/** Milliseconds between two reads of a message that waits for an attempt. */
const WATCH_MS = 2_000

/** A message with its payload and attempts, read again while it waits for an attempt. */
export const deliveryQuery = (id: string, delivery: string) =>
  queryOptions({
    queryKey: ['deliveries', id, delivery],
    queryFn: () =>
      send<DeliveryDetail>('GET', `/api/webhooks/${encodeURIComponent(id)}/deliveries/${encodeURIComponent(delivery)}`),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? WATCH_MS : false),
  })

export const createWebhook = (form: WebhookForm) => changing(change<IssuedWebhook>('POST', '/api/webhooks', form))
export const changeWebhook = (id: string, form: Partial<WebhookForm> | Pick<Webhook, 'enabled'>) =>
  changing(change<Webhook>('PATCH', `/api/webhooks/${id}`, form))
export const removeWebhook = (id: string) => changing(change<undefined>('DELETE', `/api/webhooks/${id}`))
export const rotateWebhook = (id: string) => changing(change<IssuedWebhook>('POST', `/api/webhooks/${id}/rotate`))

export async function testWebhook(id: string): Promise<void> {
  await change('POST', `/api/webhooks/${id}/test`)
  await queryClient.invalidateQueries({ queryKey: ['deliveries', id] })
}

export async function redeliver(id: string, delivery: string): Promise<void> {
  await change('POST', `/api/webhooks/${id}/deliveries/${delivery}/redeliver`)
  await queryClient.invalidateQueries({ queryKey: ['deliveries', id] })
}

async function changing<T>(work: Promise<T>): Promise<T> {
  const answer = await work
  await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey })
  return answer
}
