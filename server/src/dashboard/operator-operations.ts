import { z } from 'zod'
import { auditShape, identityShape, time, uuid } from '../api/answer-shapes.ts'
import { MAX_EVENTS } from '../audit/audit-page.ts'
import { invalidField, notFound } from '../api/api-error.ts'
import { optionalBody, readUuid } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { isCredentialId } from '../features/credential-id.ts'
import { type KindName, kindNames } from '../ingest/kinds.ts'
import { type AppDecision, appDecisions } from '../oauth/apps.ts'
import { type AppFilter } from '../oauth/app.queries.ts'
import { appFilterShape, appShape, appsShape } from './app-operations.ts'
import { tokenShape } from './token-operations.ts'
import {
  decisionShape,
  newPlanShape,
  PLAN_NAME,
  PLAN_NAME_RULE,
  planChoiceShape,
  planShape,
  runShape,
} from './request-shapes.ts'

const tag = 'Operators'
const filters: readonly string[] = appFilterShape.options

function readDecision(text: string): AppDecision {
  const decision = appDecisions.find((known) => known === text)
  if (!decision) throw notFound('Decision')
  return decision
}

function readFilter(status: unknown): AppFilter | undefined {
  if (status !== undefined && !filters.includes(status as string))
    throw invalidField('status', `must be one of ${filters.join(', ')}`)
  return status as AppFilter | undefined
}

function readPlanName(plan: string): string {
  if (!PLAN_NAME.test(plan)) throw invalidField('plan', PLAN_NAME_RULE)
  return plan
}

/** What an import is asked to do. */
export interface ImportRequest {
  kind: KindName | undefined
  credentialId: string | undefined
  replace: boolean
}

function readImportRequest({ kind, credentialId, replace }: Record<string, unknown>): ImportRequest {
  if (kind !== undefined && !kindNames.includes(kind as KindName))
    throw invalidField('kind', `must be one of ${kindNames.join(', ')}`)
  if (credentialId !== undefined && (typeof credentialId !== 'string' || !isCredentialId(credentialId)))
    throw invalidField('credentialId', 'must be the id of a credential')
  if (replace !== undefined && replace !== 'true') throw invalidField('replace', 'must be true, or left out')
  if ((credentialId !== undefined || replace !== undefined) && kind !== undefined && kind !== 'holders')
    throw invalidField(credentialId === undefined ? 'replace' : 'credentialId', 'goes with holders alone')
  return { kind: kind as KindName | undefined, credentialId, replace: replace === 'true' }
}

const namedPlan = planShape.extend({ plan: z.string() })

export const operatorOperations = {
  apps: {
    method: 'GET',
    path: '/api/operator/apps',
    who: 'operator',
    summary: 'All apps',
    tag,
    query: {
      status: {
        description: 'only these; `waiting`: a decision about the app or about its new redirect URIs is needed',
        shape: appFilterShape,
      },
    },
    readQuery: ({ status }) => readFilter(status),
    answer: { description: 'In the order of application.', shape: appsShape },
  },
  decide: {
    method: 'POST',
    path: '/api/operator/apps/:id/:decision',
    who: 'operator',
    recentSignIn: true,
    summary: 'Decide about an app',
    description:
      'It holds from the next request on. An approval of an app or of its changed redirect URIs (accept-changes) names the revision that was looked at.',
    tag,
    params: { id: 'the clientId', decision: { description: `one of ${appDecisions.join(', ')}`, read: readDecision } },
    body: optionalBody(decisionShape),
    answer: { description: 'The app.', shape: appShape },
    errors: { 409: 'The app is in another status, or was changed since that revision.' },
  },
  audit: {
    method: 'GET',
    path: '/api/operator/audit',
    who: 'operator',
    summary: 'What happened to all accounts and apps, newest first',
    tag,
    query: {
      account: { description: 'of this account only', shape: uuid },
      first: { description: `at most so many, 1 to ${MAX_EVENTS}`, shape: z.int().min(1).max(MAX_EVENTS) },
      before: { description: 'a time, or `next` of the page before', shape: z.string() },
      event: { description: 'only events of this name', shape: z.string() },
    },
    readQuery: ({ account, ...page }) => ({
      accountId: typeof account === 'string' ? readUuid(account, 'Account') : undefined,
      page,
    }),
    answer: { description: 'One page of events.', shape: auditShape },
  },
  plans: {
    method: 'GET',
    path: '/api/operator/plans',
    who: 'operator',
    summary: 'The plans, with the number of live tokens on each',
    tag,
    answer: {
      description: 'By name.',
      shape: z.strictObject({
        plans: z.array(
          namedPlan.extend({
            tokens: z.int(),
            fromSettings: z.boolean().describe('Its limits are set at every start; it cannot be changed here'),
          }),
        ),
      }),
    },
  },
  makePlan: {
    method: 'POST',
    path: '/api/operator/plans',
    who: 'operator',
    recentSignIn: true,
    summary: 'Make a plan',
    tag,
    body: newPlanShape,
    answer: { status: 201, description: 'The plan.', shape: namedPlan },
    errors: { 409: 'There is a plan of this name.' },
  },
  setPlan: {
    method: 'PUT',
    path: '/api/operator/plans/:plan',
    who: 'operator',
    recentSignIn: true,
    summary: 'Make a plan, or change its limits',
    description: 'Tokens follow their plan with the next request.',
    tag,
    params: { plan: { description: 'its name: 1 to 40 of a-z, 0-9 and -', read: readPlanName } },
    body: planShape,
    answer: { description: 'The plan.', shape: namedPlan },
    errors: { 409: 'The plan comes from the settings.' },
  },
  deletePlan: {
    method: 'DELETE',
    path: '/api/operator/plans/:plan',
    who: 'operator',
    recentSignIn: true,
    summary: 'Delete a plan that no token has or had',
    tag,
    params: { plan: 'its name' },
    answer: { status: 204, description: 'Deleted.' },
    errors: { 409: 'Tokens have it, or it comes from the settings.' },
  },
  tokens: {
    method: 'GET',
    path: '/api/operator/tokens',
    who: 'operator',
    summary: 'The server access tokens of an account',
    tag,
    query: { account: { description: 'its username or id', shape: z.string(), required: true } },
    readQuery: ({ account }) => (typeof account === 'string' ? account.trim() : undefined),
    answer: {
      description: 'Oldest first.',
      shape: z.strictObject({
        account: z.strictObject({
          id: uuid,
          username: z.string(),
          createdAt: time,
          identities: z.array(identityShape),
        }),
        tokens: z.array(tokenShape.extend({ lastUsedAt: time.nullable().optional() })),
      }),
    },
    errors: { 404: 'There is no such account.' },
  },
  choosePlan: {
    method: 'PUT',
    path: '/api/operator/tokens/:id/plan',
    who: 'operator',
    recentSignIn: true,
    summary: 'Put a token on another plan',
    tag,
    params: { id: 'the tokenId' },
    body: planChoiceShape,
    answer: {
      description: 'It holds from the next request on.',
      shape: z.strictObject({ tokenId: uuid, plan: z.string() }),
    },
  },
  syncs: {
    method: 'GET',
    path: '/api/operator/syncs',
    who: 'operator',
    summary: 'The credentials whose holders come from a source, and how their runs went',
    tag,
    answer: {
      description: 'By id of the credential.',
      shape: z.strictObject({
        syncs: z.array(
          z.strictObject({
            credentialId: z.string(),
            name: z.string(),
            kind: z.string(),
            host: z.string().describe('Of the source; the rest of its address may be a key'),
            holders: z.int(),
            syncStatus: z.string(),
            state: z.string().nullable(),
            reason: z.string().nullable().describe('Why the last run failed or is held'),
            failures: z.int(),
            everySeconds: z.int().nullable().describe('null: asked at answer time'),
            nextRunAt: time.nullable(),
            lastRunAt: time.nullable(),
            lastSuccessAt: time.nullable(),
          }),
        ),
      }),
    },
  },
  runSync: {
    method: 'POST',
    path: '/api/operator/syncs/:id/run',
    who: 'operator',
    recentSignIn: true,
    summary: 'Bring the holders of a credential in now',
    description: 'Answered when the run has begun.',
    tag,
    params: { id: 'of the credential' },
    body: optionalBody(runShape),
    answer: { status: 202, description: 'The run has begun.', shape: z.strictObject({ credentialId: z.string() }) },
    errors: { 409: 'It runs already, or is asked at answer time.' },
  },
  import: {
    method: 'POST',
    path: '/api/operator/imports',
    who: 'operator',
    recentSignIn: true,
    summary: 'Import a file: all of it or nothing',
    description:
      'The body is the file as `questboard import` takes it (docs/import.md): CSV, NDJSON or a list of holders, gzipped or not. The answer is NDJSON, which begins when the body has come whole, with a line every few seconds until the import has ended: `phase`, how many lines were `read`, and, while they are stored, how much of a step is (`stored`, `of`: `what`, `total`, and whether that is what it stores `atMost`); the last one has `result`: `stored` with counts, `refused` (nothing was stored) with the problems of the first 100 bad lines, or `failed`. Closing the connection stops the import; what was being committed at that moment stands.',
    tag,
    query: {
      kind: { description: 'what the file holds; without it its fields tell', shape: z.enum(kindNames) },
      credentialId: { description: 'the credential of holders whose lines name none', shape: z.string() },
      replace: {
        description: 'the holders are the whole list of their credentials from now on',
        shape: z.literal('true'),
      },
    },
    readQuery: readImportRequest,
    answer: {
      description: 'Progress, and at the end the result.',
      content: { 'application/x-ndjson': { schema: {} } },
    },
    errors: { 429: 'Two imports are under way in this process.' },
  },
  health: {
    method: 'GET',
    path: '/api/operator/health',
    who: 'operator',
    summary: 'What `questboard doctor` finds, and the work that waits',
    tag,
    answer: {
      description: 'The service asks every configured machine; each has five seconds.',
      shape: z.strictObject({
        checkedAt: time,
        work: z.record(z.string(), z.int()),
        findings: z.array(
          z.strictObject({
            name: z.string(),
            state: z.enum(['ok', 'off', 'note', 'problem']),
            says: z.string(),
            advice: z.string().nullable(),
          }),
        ),
      }),
    },
  },
} as const satisfies Record<string, RouteDescription>
