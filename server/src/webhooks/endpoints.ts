import { fault, unknownReference, wrongFormat } from '../texts/faults.ts'
import type { Kysely, Transaction } from 'kysely'
import type { Config } from '../config.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { isOperator } from '../accounts/account.queries.ts'
import { conflict, fieldConflict, invalidField, notFound, tooManyRequests } from '../errors.ts'
import { webhookPlacesByAccount } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import { withAccount } from '../sessions/with-account.ts'
import { OLD_WEBHOOK_SECRET_LIFETIME } from '../lifetimes.ts'
import { checkTarget } from '../outgoing/check-target.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import { disable } from './disable.ts'
import { type EndpointChanges, type EndpointForm, namedBy, readEndpointForm, subjectsOf } from './endpoint-form.ts'
import {
  addSecret,
  deleteEndpointRows,
  type EndpointRow,
  factsAbout,
  findEndpointRow,
  listEndpointRows,
  lockPlaces,
  type SubjectFacts,
  writeEndpoint,
} from './endpoints.queries.ts'
import { TEST_EVENT } from './events.ts'
import { enqueue } from './outbox.ts'
import { newSecret, type SealingDependencies, sealSecret } from './secrets.ts'

export interface WebhookDependencies extends SealingDependencies {
  config: Pick<Config, 'webhookHosts'>
  database: Pick<Database, 'kysely'>
  clock: Clock
  /** The network of the client; not set for commands. */
  network?: string
  /** Adds an entry to the audit log, in the transaction of the change. */
  note?: (trx: Transaction<DB>, event: WebhookEvent, endpoint: Pick<Endpoint, 'id' | 'accountId'>) => Promise<void>
}

type WebhookEvent = `webhook.${'created' | 'changed' | 'deleted' | 'secret-rotated'}`

/** An endpoint as its owner sees it. */
export interface Endpoint extends EndpointForm {
  id: string
  accountId: string
  createdAt: Date
  disabledAt: Date | null
  disabledReason: string | null
  failingSince: Date | null
  pausedUntil: Date | null
}

/** An endpoint and its new secret, which is shown only once. */
export interface NewSecret {
  endpoint: Endpoint
  secret: string
}

/** The maximum number of endpoints of an account; commands have no such limit. */
export const MAX_ENDPOINTS = 10

/** The maximum number of endpoints of non-owners on one subject, because each change writes a message for each endpoint. */
export const MAX_FOREIGN_WEBHOOKS = 20
/** The same limit for one account and for one network. */
export const MAX_FOREIGN_WEBHOOKS_OF_ACCOUNT = 3
export const MAX_FOREIGN_WEBHOOKS_OF_NETWORK = 6
/** Part of MAX_FOREIGN_WEBHOOKS that is reserved for accounts and networks without an endpoint on the subject. */
export const RESERVED_FOR_OTHERS = 5

/** The author of a change: an account over the API, or an operator with a command, which has no limits. */
export type By = 'account' | 'operator'

const DISABLED_BY_OWNER = 'disabled by its owner'

/** Creates an endpoint. Any account may subscribe to public data. @throws ApiError that names the field */
export async function createEndpoint(
  deps: WebhookDependencies,
  accountId: string,
  form: EndpointForm,
  by: By = 'account',
): Promise<NewSecret> {
  const now = new Date(deps.clock.now())
  const endpointId = deps.random.uuid()
  const row: EndpointRow = {
    ...columnsOf(form),
    endpoint_id: endpointId,
    account_id: accountId,
    created_at: now,
    disabled_at: form.enabled ? null : now,
    disabled_reason: form.enabled ? null : DISABLED_BY_OWNER,
    failing_since: null,
    paused_until: null,
    by_operator: by === 'operator',
    needs_operator: false,
    network: deps.network ?? '',
  }
  const secret = await withAccount(deps, accountId, async (trx) => {
    await checkUrl(deps, trx, form.url, accountId, by)
    const existing = by === 'account' ? await listEndpointRows(trx, accountId) : []
    if (existing.length >= MAX_ENDPOINTS)
      throw conflict('too_many_webhooks', `An account may have ${MAX_ENDPOINTS} webhooks; delete one first`)
    await checkSubjects(trx, form, row, by)
    await countPlace(deps, trx, accountId, by)
    const asOperator = by === 'account' && (await isOperator(trx, accountId))
    await writeEndpoint(trx, { ...row, ...(asOperator && { by_operator: true, needs_operator: true }) })
    const made = await storeSecret({ ...deps, database: { kysely: trx } }, endpointId, now)
    await deps.note?.(trx, 'webhook.created', viewEndpoint(row))
    return made
  })
  return { endpoint: viewEndpoint(row), secret }
}

export async function listEndpoints(
  { database }: Pick<WebhookDependencies, 'database'>,
  accountId?: string,
): Promise<Endpoint[]> {
  return (await listEndpointRows(database.kysely, accountId)).map(viewEndpoint)
}

/** Finds an endpoint; if an account is given, only among its endpoints. @throws ApiError not_found */
export async function requireEndpoint(
  { database }: Pick<WebhookDependencies, 'database'>,
  endpointId: string,
  accountId?: string,
): Promise<Endpoint> {
  const row = await findEndpointRow(database.kysely, endpointId)
  if (!row || (accountId !== undefined && row.account_id !== accountId)) throw notFound('Webhook')
  return viewEndpoint(row)
}

/** If a change enables a disabled endpoint, its failures are reset. @throws ApiError */
export async function updateEndpoint(
  deps: WebhookDependencies,
  endpoint: Endpoint,
  changes: EndpointChanges,
  by: By = 'account',
): Promise<Endpoint> {
  const now = new Date(deps.clock.now())
  return withAccount(deps, endpoint.accountId, async (trx) => {
    const found = await findEndpointRow(trx, endpoint.id, { lock: true })
    if (!found) throw notFound('Webhook')
    // The changes are validated together with the locked row, because another request may just have changed it.
    const form = readEndpointForm({ ...formOf(viewEndpoint(found)), ...changes })
    const before = { ...found, network: found.network || (deps.network ?? '') }
    const enabling = form.enabled && before.disabled_at !== null
    // URLs that an older version stored may not be normalized.
    const elsewhere = form.url !== URL.parse(before.url)?.href
    // An enabled endpoint is checked again: the account may have lost the rights of an operator since the URL was set.
    const isDue = elsewhere || (enabling && !before.by_operator)
    const configured = isDue && (await checkUrl(deps, trx, form.url, endpoint.accountId, by))
    const held = before.disabled_at === null ? before.subjects : []
    await checkSubjects(trx, form, before, by, held)
    if (elsewhere) await countPlace(deps, trx, endpoint.accountId, by)
    await writeEndpoint(trx, {
      ...before,
      ...columnsOf(form),
      ...(configured && by === 'account' && { needs_operator: true }),
      ...(enabling && { disabled_at: null, disabled_reason: null }),
      ...((enabling || elsewhere) && { failing_since: null, paused_until: null }),
    })
    if (!form.enabled && before.disabled_at === null) await disable(trx, endpoint.id, DISABLED_BY_OWNER, now)
    await deps.note?.(trx, 'webhook.changed', endpoint)
    return viewEndpoint((await findEndpointRow(trx, endpoint.id)) as EndpointRow)
  })
}

export async function deleteEndpoint(deps: WebhookDependencies, endpoint: Endpoint): Promise<void> {
  await withAccount(deps, endpoint.accountId, async (trx) => {
    await deleteEndpointRows(trx, endpoint.id)
    await deps.note?.(trx, 'webhook.deleted', endpoint)
  })
}

/** Creates a new secret. The previous one also signs for a day, so that the receiver has time to change. */
export async function rotateSecret(deps: WebhookDependencies, endpoint: Endpoint): Promise<NewSecret> {
  const now = new Date(deps.clock.now())
  const secret = await withAccount(deps, endpoint.accountId, async (trx) => {
    if (!(await findEndpointRow(trx, endpoint.id, { lock: true }))) throw notFound('Webhook')
    const made = await storeSecret({ ...deps, database: { kysely: trx } }, endpoint.id, now)
    await deps.note?.(trx, 'webhook.secret-rotated', endpoint)
    return made
  })
  return { endpoint, secret }
}

/** Adds a test message to the queue of the endpoint. @returns its ID */
export async function sendTest({ database, clock }: WebhookDependencies, endpoint: Endpoint): Promise<string> {
  requireEnabled(endpoint)
  const data = { webhookId: endpoint.id, text: 'This endpoint works.' }
  const message = { endpointId: endpoint.id, type: TEST_EVENT, data } as const
  const [messageId] = await enqueue(database.kysely, [message], new Date(clock.now()))
  return messageId as string
}

/** @throws ApiError if the endpoint is disabled */
export function requireEnabled(endpoint: Endpoint): void {
  if (!endpoint.enabled)
    throw conflict('webhook_disabled', `This webhook is disabled (${endpoint.disabledReason}); enable it first`)
}

async function storeSecret(deps: WebhookDependencies, endpointId: string, now: Date): Promise<string> {
  const secret = newSecret(deps.random)
  const secretId = deps.random.uuid()
  const sealed = sealSecret(deps, endpointId, secretId, secret)
  const oldExpiresAt = new Date(now.getTime() + OLD_WEBHOOK_SECRET_LIFETIME)
  await addSecret(deps.database.kysely, { endpointId, secretId, sealed, createdAt: now, oldExpiresAt })
  return secret
}

/** For messages. A command checks the URL with its own settings, and the service sends the requests with its own. */
const HOSTS_OF_WEBHOOKS = 'QUESTBOARD_WEBHOOK_HOSTS, for the service and for this command'

/**
 * Only operators may use the operator's internal hosts, because the creator of a webhook can read the responses.
 * @returns whether the URL is at such a host
 */
async function checkUrl(
  { config }: WebhookDependencies,
  trx: Kysely<DB>,
  text: string,
  accountId: string,
  by: By,
): Promise<boolean> {
  try {
    const namedBy = by === 'operator' ? HOSTS_OF_WEBHOOKS : 'QUESTBOARD_WEBHOOK_HOSTS, which only operators can do'
    const { url, configured } = checkTarget(text, config.webhookHosts, namedBy)
    if (configured && by !== 'operator' && !(await isOperator(trx, accountId)))
      throw invalidField(
        'url',
        'is at a host of QUESTBOARD_WEBHOOK_HOSTS, which only webhooks of operators may use',
        fault('host_of_operators'),
      )
    if (url.protocol !== 'https:' && !configured)
      throw invalidField(
        'url',
        'must be an https URL; only operators may use http, to hosts of QUESTBOARD_WEBHOOK_HOSTS',
        wrongFormat('https_url'),
      )
    return configured
  } catch (error) {
    if (error instanceof OutgoingError) throw invalidField('url', `cannot be used: ${error.message}`, error.fault)
    throw error
  }
}

async function countPlace({ clock }: WebhookDependencies, trx: Kysely<DB>, accountId: string, by: By): Promise<void> {
  if (by === 'operator') return
  const count = await countAttempt({ clock, database: { kysely: trx } }, webhookPlacesByAccount, accountId)
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
}

/** @param held the subjects to which the enabled endpoint is already subscribed; they are not checked against the limits */
async function checkSubjects(
  trx: Kysely<DB>,
  form: EndpointForm,
  { account_id: accountId, endpoint_id: endpointId, network }: EndpointRow,
  by: By,
  held: readonly string[] = [],
): Promise<void> {
  if (by === 'account') await lockPlaces(trx, subjectsOf(form))
  const facts = await factsAbout(trx, subjectsOf(form), { accountId, endpointId, network })
  const unknown = facts.filter(({ exists }) => !exists).map(({ subject }) => subject)
  for (const [field, ids] of Object.entries(namedBy(unknown)))
    if (ids.length > 0)
      throw invalidField(field, `has unknown IDs: ${ids.join(', ')}`, unknownReference(ids.join(', ')))
  if (by === 'operator') return
  for (const fact of facts) {
    const reason = fact.owned || held.includes(fact.subject) ? undefined : explainFullSubject(fact)
    if (reason === undefined) continue
    const field = fieldOf(form, fact.subject)
    throw fieldConflict(
      field,
      'too_many_listeners',
      `${field} ${reason}; ask an account that owns or manages it, or the operator`,
      fault('too_many_listeners'),
    )
  }
}

/** The entry of the form that names a subject, such as `spaceIds.0`. */
function fieldOf(form: EndpointForm, subject: string): string {
  const named = Object.entries(namedBy([subject])).find(([, ids]) => ids.length > 0)
  const [field, [id]] = named as [keyof ReturnType<typeof namedBy>, [string | number]]
  return `${field}.${form[field].findIndex((one) => one === id)}`
}

/** The reason why an account that neither owns nor manages a subject cannot add a webhook on it; undefined if it can. */
function explainFullSubject({ strangers, ofAccount, ofNetwork }: SubjectFacts): string | undefined {
  if (ofAccount >= MAX_FOREIGN_WEBHOOKS_OF_ACCOUNT)
    return `has ${MAX_FOREIGN_WEBHOOKS_OF_ACCOUNT} webhooks of your account, the maximum for accounts that neither own nor manage it`
  if (ofNetwork >= MAX_FOREIGN_WEBHOOKS_OF_NETWORK)
    return `has ${MAX_FOREIGN_WEBHOOKS_OF_NETWORK} webhooks from your network, the maximum for accounts that neither own nor manage it`
  const hasPlace = ofAccount > 0 || ofNetwork > 0
  if (hasPlace && strangers >= MAX_FOREIGN_WEBHOOKS - RESERVED_FOR_OTHERS)
    return `reserves its last ${RESERVED_FOR_OTHERS} webhooks for accounts and networks without a webhook on it`
  return strangers >= MAX_FOREIGN_WEBHOOKS
    ? `already has ${MAX_FOREIGN_WEBHOOKS} webhooks of accounts that neither own nor manage it`
    : undefined
}

const columnsOf = (form: EndpointForm) => ({
  url: form.url,
  description: form.description,
  event_types: form.events,
  subjects: subjectsOf(form),
  min_points: form.minPoints,
  top: form.top,
  boards: form.boards,
})

function formOf(endpoint: Endpoint): EndpointForm {
  const { url, description, events, spaceIds, starboardIds, credentialIds, minPoints, top, boards, enabled } = endpoint
  return { url, description, events, spaceIds, starboardIds, credentialIds, minPoints, top, boards, enabled }
}

function viewEndpoint(row: EndpointRow): Endpoint {
  return {
    id: row.endpoint_id,
    accountId: row.account_id,
    url: row.url,
    description: row.description,
    events: row.event_types,
    ...namedBy(row.subjects),
    minPoints: row.min_points,
    top: row.top,
    boards: row.boards,
    enabled: row.disabled_at === null,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    pausedUntil: row.paused_until,
    createdAt: row.created_at,
  }
}
