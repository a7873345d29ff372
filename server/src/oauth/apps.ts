import { fault } from '../texts/faults.ts'
import type { Transaction } from 'kysely'
import type { DB } from '../database/tables.ts'
import { conflict, invalidField, notFound } from '../errors.ts'
import { audit, NO_NETWORK, type SecurityEvent } from '../audit/audit.ts'
import { later, nowOf, type Services } from '../services.ts'
import { type RequestServices, withAccount, withOperator } from '../sessions/with-account.ts'
import { ACCESS_TOKEN_LIFETIME, OLD_SECRET_LIFETIME } from '../lifetimes.ts'
import {
  type App,
  type AppChanges,
  type AppDetails,
  type AppStatus,
  deleteApp,
  findApp,
  insertApp,
  setStatus,
  settleProposals,
  updateApp,
} from './app.queries.ts'
import {
  type AppForm,
  type AppFormChanges,
  checkKind,
  checkLogoutUri,
  checkPostLogout,
  checkSector,
} from './app-form.ts'
import { sectorOf } from './subject.ts'
import { forgetAppUsers } from './app-users.queries.ts'
import { switchExpiry } from './grant.queries.ts'
import { deleteSecret, deleteSecrets, rotateSecret } from './secret.queries.ts'
import { issueCredential } from '../secrets/oauth-token-format.ts'
import { randomName } from '../secrets/random-name.ts'

const CLIENT_ID_LENGTH = 20

/** Creates a pending app. @throws ApiError if the account is gone */
export async function applyForApp(services: RequestServices, ownerAccountId: string, form: AppForm): Promise<App> {
  checkLogoutUri(form.backchannelLogoutUri, services.config.webhookHosts)
  const clientId = randomName(services.random, CLIENT_ID_LENGTH)
  // Prevents an app without an owner if the account is deleted concurrently.
  await withAccount(services, ownerAccountId, async (transaction) => {
    await insertApp(transaction, { clientId, ownerAccountId, ...form, createdAt: nowOf(services) })
    await note(services, ownerAccountId, clientId, 'app.applied', {}, transaction)
  })
  return requireApp(services, clientId)
}

/** @throws ApiError not_found */
export async function requireApp(services: Services, clientId: string): Promise<App> {
  const app = await findApp(services.database, clientId)
  if (!app) throw notFound('App')
  return app
}

/** The kind of an app. Its tokens and subjects depend on it, so it cannot change after the approval. */
const fixedFields = ['publicClient', 'subjectType'] as const

/**
 * Applies changes of the owner. A refused app is then pending again. If the app is approved, new details and logos, redirect
 * URIs and the back-channel logout URI wait for an operator, and the current ones remain valid. A change of
 * `expiringTokens` applies to existing tokens immediately. @throws ApiError
 */
export async function changeApp(
  services: RequestServices,
  app: App,
  changes: AppFormChanges & Pick<AppChanges, 'logo' | 'proposedLogo'>,
): Promise<App> {
  const decided = app.status !== 'pending' && app.status !== 'refused'
  if (decided && fixedFields.some((field) => changes[field] !== undefined))
    throw conflict(
      'app_decided',
      'publicClient and subjectType were approved as they are; apply for a new app to change them',
    )
  const given: AppChanges = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const wanted = decided ? withheld(app, given) : given
  const { expiringTokens = app.expiringTokens, s256Only = app.s256Only, publicClient = app.publicClient } = wanted
  const { backchannelLogoutUri = app.backchannelLogoutUri } = given
  checkKind({ expiringTokens, s256Only, publicClient, backchannelLogoutUri })
  const { subjectType = app.subjectType, redirectUris = app.redirectUris } = given
  checkSector({ subjectType, redirectUris }, decided ? sectorOf(app) : undefined)
  checkLogoutUri(given.backchannelLogoutUri, services.config.webhookHosts)
  if (given.postLogoutRedirectUris)
    checkPostLogout(given.postLogoutRedirectUris, [
      ...app.redirectUris,
      ...(given.redirectUris ?? app.proposedRedirectUris ?? []),
    ])
  const fields = Object.keys(given).join(' ')
  const proposed = wanted.proposedRedirectUris?.join(' ')
  const details = {
    fields,
    ...(given.redirectUris && {
      redirectUris: (wanted.redirectUris ?? app.redirectUris).join(' '),
      redirectUrisBefore: app.redirectUris.join(' '),
    }),
    ...(proposed !== undefined && { proposed }),
    ...textsOf(wanted.proposedDetails),
    ...(given.backchannelLogoutUri && { backchannelLogoutUri: given.backchannelLogoutUri }),
  }
  await withAccount(services, app.ownerAccountId, async (transaction) => {
    if (!(await updateApp(transaction, app, wanted))) throw changedMeanwhile()
    if (expiringTokens !== app.expiringTokens)
      await switchExpiry(
        transaction,
        app.clientId,
        expiringTokens ? later(nowOf(services), ACCESS_TOKEN_LIFETIME) : null,
      )
    if (publicClient !== app.publicClient) await endCredentials(transaction, app.clientId)
    // The subjects of users change with the sector, so existing tokens must end.
    else if (sectorOf({ ...app, ...wanted }) !== sectorOf(app))
      await forgetAppUsers(transaction, app.clientId, { sessions: true })
    await note(services, app.ownerAccountId, app.clientId, 'app.changed', details, transaction)
  })
  return requireApp(services, app.clientId)
}

/** Deletes the secrets and tokens of an app whose kind has changed: they were issued under other rules. */
async function endCredentials(transaction: Transaction<DB>, clientId: string): Promise<void> {
  await forgetAppUsers(transaction, clientId, { sessions: true })
  await deleteSecrets(transaction, clientId)
}

/**
 * Turns new values into proposals for an operator. A removed URI or logo is removed at once. If all redirect URIs are
 * replaced, the old ones remain valid until an operator accepts the new ones (docs/decisions/0021).
 */
function withheld(app: App, { name, homepage, purpose, scopes, logo, ...changes }: AppChanges): AppChanges {
  const { redirectUris, backchannelLogoutUri } = changes
  return {
    ...changes,
    ...withheldDetails(app, { name, homepage, purpose, scopes }),
    ...(logo !== undefined && (logo === null ? { logo } : { proposedLogo: logo })),
    ...(redirectUris && withheldRedirectUris(app, redirectUris)),
    ...(backchannelLogoutUri !== undefined && withheldLogoutUri(app, backchannelLogoutUri)),
  }
}

/** Saving the approved value of a field deletes its proposal. */
function withheldDetails(app: App, given: { [Field in keyof AppDetails]: AppDetails[Field] | undefined }): AppChanges {
  const values = Object.entries(given).filter(([, value]) => value !== undefined)
  if (values.length === 0) return {}
  const wanted = Object.entries({ ...app.proposedDetails, ...Object.fromEntries(values) })
  const proposed = wanted.filter(([field, value]) => comparable(value) !== comparable(app[field as keyof AppDetails]))
  return { proposedDetails: proposed.length > 0 ? Object.fromEntries(proposed) : null }
}

/** Two lists of scopes in different orders are equal. */
const comparable = (value: string | string[]) => (Array.isArray(value) ? value.toSorted().join(' ') : value)

function withheldLogoutUri(app: App, wanted: string | null): AppChanges {
  const isNew = wanted !== null && wanted !== app.backchannelLogoutUri
  return {
    backchannelLogoutUri: isNew ? app.backchannelLogoutUri : wanted,
    proposedBackchannelLogoutUri: isNew ? wanted : null,
  }
}

function withheldRedirectUris({ redirectUris }: App, wanted: readonly string[]): AppChanges {
  const kept = wanted.filter((uri) => redirectUris.includes(uri))
  const proposed = kept.length < wanted.length ? [...wanted] : null
  return { redirectUris: kept.length > 0 ? kept : redirectUris, proposedRedirectUris: proposed }
}

const changedMeanwhile = () => conflict('app_changed', 'The app has been changed since; load it again')

const transitions = {
  approve: { from: ['pending', 'refused'], to: 'approved', event: 'app.approved' },
  refuse: { from: ['pending', 'approved'], to: 'refused', event: 'app.refused' },
  suspend: { from: ['approved'], to: 'suspended', event: 'app.suspended' },
  resume: { from: ['suspended'], to: 'approved', event: 'app.resumed' },
} as const satisfies Record<string, { from: readonly AppStatus[]; to: AppStatus; event: SecurityEvent }>

const proposalDecisions = {
  'accept-changes': { accept: true, event: 'app.changes-accepted' },
  'refuse-changes': { accept: false, event: 'app.changes-refused' },
} as const satisfies Record<string, { accept: boolean; event: SecurityEvent }>

type ProposalDecision = keyof typeof proposalDecisions
export type AppDecision = keyof typeof transitions | ProposalDecision
export const appDecisions = [...Object.keys(transitions), ...Object.keys(proposalDecisions)] as AppDecision[]

const isAboutProposal = (decision: AppDecision): decision is ProposalDecision => decision in proposalDecisions

/** Whether the app already has the status that a decision sets. */
export const isDecided = ({ status }: App, decision: AppDecision): boolean =>
  !isAboutProposal(decision) && transitions[decision].to === status

export interface DecisionDetails {
  /** Shown to the owner. */
  reason?: string
  /** The revision that the operator reviewed. Required for approvals, because the owner may change a pending app. */
  revision?: number | undefined
}

/**
 * Applies an operator's decision. It takes effect at the next request, because apps are not cached.
 * @throws ApiError not_found, wrong_status, app_changed, invalid_argument; for sessions sign_in_required,
 * permission_denied
 */
export async function decideApp(
  services: RequestServices,
  clientId: string,
  decision: AppDecision,
  { reason = '', revision }: DecisionDetails = {},
): Promise<App> {
  if ((decision === 'approve' || decision === 'accept-changes') && revision === undefined)
    throw invalidField('revision', 'must be the revision of the app that is approved', fault('missing'))
  const app = await requireApp(services, clientId)
  if (isAboutProposal(decision)) return decideChanges(services, app, decision, { reason, revision })
  const { from, to, event } = transitions[decision]
  if (!(from as readonly AppStatus[]).includes(app.status))
    throw conflict(
      'wrong_status',
      app.status === to
        ? `The app is ${to} already; nothing was changed`
        : `The app is ${app.status}; the decision ${decision} needs an app that is ${from.join(' or ')}`,
    )
  const decided = { status: to, statusReason: reason, decidedAt: nowOf(services) }
  await asOperator(services, async (transaction) => {
    if (!(await setStatus(transaction, clientId, decided, from, revision))) throw changedMeanwhile()
    await note(services, app.ownerAccountId, clientId, event, reason === '' ? {} : { reason }, transaction)
  })
  return requireApp(services, clientId)
}

/** Runs in a transaction; for sessions, checks that the account is still an operator. */
async function asOperator(
  services: RequestServices,
  work: (transaction: Transaction<DB>) => Promise<void>,
): Promise<void> {
  return services.actor
    ? withOperator(services, services.actor, work)
    : services.database.kysely.transaction().execute(work)
}

/** The values for the audit log. */
const textsOf = (details: Partial<AppDetails> | null | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(details ?? {}).map(([field, value]) => [field, [value].flat().join(' ')]))

/** Whether changes of an approved app wait for an operator. */
const proposes = (app: App) =>
  app.proposedRedirectUris !== null ||
  app.proposedBackchannelLogoutUri !== null ||
  app.proposedDetails !== null ||
  app.hasProposedLogo

async function decideChanges(
  services: RequestServices,
  app: App,
  decision: ProposalDecision,
  { reason = '', revision = app.revision }: DecisionDetails,
): Promise<App> {
  const { proposedRedirectUris, proposedBackchannelLogoutUri, proposedDetails } = app
  if (!proposes(app)) throw conflict('wrong_status', 'This app has no proposed changes')
  const { accept, event } = proposalDecisions[decision]
  const reviewed = { clientId: app.clientId, revision, proposedDetails }
  const decided = { accept, statusReason: reason, decidedAt: nowOf(services) }
  const details = {
    ...textsOf(proposedDetails),
    ...(app.hasProposedLogo && { logo: 'new' }),
    ...(proposedRedirectUris && { redirectUris: proposedRedirectUris.join(' ') }),
    ...(proposedBackchannelLogoutUri !== null && { backchannelLogoutUri: proposedBackchannelLogoutUri }),
    ...(reason !== '' && { reason }),
  }
  await asOperator(services, async (transaction) => {
    if (!(await settleProposals(transaction, reviewed, decided))) throw changedMeanwhile()
    await note(services, app.ownerAccountId, app.clientId, event, details, transaction)
  })
  return requireApp(services, app.clientId)
}

/**
 * Creates a secret, which is shown once. The previous secret expires after a day, an older one at once.
 * @throws ApiError if the app is not approved, or has no server
 */
export async function issueSecret(services: RequestServices, app: App): Promise<{ secretId: string; secret: string }> {
  if (app.status !== 'approved')
    throw conflict('app_not_approved', `Only approved apps get secrets; this app is ${app.status}`)
  if (app.publicClient)
    throw conflict('app_without_server', 'This app has no server (publicClient); it signs users in without a secret')
  const now = nowOf(services)
  const secretId = services.random.uuid()
  const secret = issueCredential('secret', services.random)
  await withAccount(services, app.ownerAccountId, async (transaction) => {
    const { clientId } = app
    const oldExpiresAt = later(now, OLD_SECRET_LIFETIME)
    const rotated = await rotateSecret(transaction, { clientId, secretId, hash: secret.hash, now, oldExpiresAt })
    if (!rotated) throw notFound('App')
    await note(services, app.ownerAccountId, clientId, 'app.secret-issued', { secret: secretId }, transaction)
  })
  return { secretId, secret: secret.value }
}

/** @throws ApiError not_found */
export async function endSecret(services: RequestServices, app: App, secretId: string): Promise<void> {
  await withAccount(services, app.ownerAccountId, async (transaction) => {
    if (!(await deleteSecret(transaction, app.clientId, secretId))) throw notFound('Secret')
    await note(services, app.ownerAccountId, app.clientId, 'app.secret-deleted', { secret: secretId }, transaction)
  })
}

export async function removeApp(services: RequestServices, app: App): Promise<void> {
  await withAccount(services, app.ownerAccountId, async (transaction) => {
    await deleteApp(transaction, app.clientId)
    await note(services, app.ownerAccountId, app.clientId, 'app.deleted', { name: app.name }, transaction)
  })
}

function note(
  services: RequestServices,
  accountId: string,
  clientId: string,
  event: SecurityEvent,
  details: Record<string, string>,
  transaction: Transaction<DB>,
): Promise<void> {
  const network = services.actor?.network ?? NO_NETWORK
  return audit(services, { accountId, clientId, event, details, network }, transaction)
}
