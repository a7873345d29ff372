import { wrongFormat, fault } from '../../texts/faults.ts'
import { z } from 'zod'
import { auditShape, identityShape, time, uuid } from '../../api/response-shapes.ts'
import { MAX_EVENTS, readAuditQuery } from '../audit-page.ts'
import { readUsageDays, usageDays } from '../tokens/usage-days.ts'
import { invalidField, notFound } from '../../errors.ts'
import { optionalBody, readTextParameter, readUuid } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { importQuery, readImportRequest } from '../../ingest-uploads/import-request.ts'
import { type AppDecision, appDecisions } from '../../oauth/apps.ts'
import { type AppFilter } from '../../oauth/app.queries.ts'
import { appFilterShape, appShape, appsShape } from '../apps/app-route-descriptions.ts'
import { tokenShape } from '../tokens/token-route-descriptions.ts'
import { findingShape } from './finding-shape.ts'
import { lateOrDisabledWebhookShape } from './late-and-disabled-webhooks.ts'
import {
  decisionShape,
  invitationShape,
  newPlanShape,
  PLAN_NAME,
  PLAN_NAME_RULE,
  planChoiceShape,
  planShape,
  runShape,
} from '../request-shapes.ts'

const tag = 'Operators'
const usernames = z.record(uuid, z.string()).describe('Of the accounts that exist')
const namesById = z.record(z.string(), z.string())
const filters: readonly string[] = appFilterShape.options

function readDecision(text: string): AppDecision {
  const decision = appDecisions.find((known) => known === text)
  if (!decision) throw notFound('Decision')
  return decision
}

function readFilter(status: unknown): AppFilter | undefined {
  if (status !== undefined && !filters.includes(status as string))
    throw invalidField('status', `must be one of ${filters.join(', ')}`, fault('not_one_of', { allowed: filters }))
  return status as AppFilter | undefined
}

function readAgain(again: unknown): boolean {
  if (again !== undefined && again !== 'true')
    throw invalidField('again', 'must be true or absent', fault('not_one_of', { allowed: ['true'] }))
  return again === 'true'
}

function readPlanName(plan: string): string {
  if (!PLAN_NAME.test(plan)) throw invalidField('plan', PLAN_NAME_RULE, wrongFormat('plan_name'))
  return plan
}

const namedPlan = planShape.extend({ plan: z.string() })

export const operatorDescriptions = {
  viewInvitation: {
    method: 'POST',
    path: '/api/operator/invitations/view',
    who: 'anyone',
    summary: 'Check the code of a one-time link for operators',
    description: 'The link stays valid.',
    tag,
    body: invitationShape,
    answer: { description: 'The link is valid.', shape: z.strictObject({ expiresAt: time }) },
    errors: {
      404: 'The code is unknown, used or expired, or it is for the first operator and there is one.',
      429: 'Too many requests from this network; `Retry-After` says when to retry.',
    },
  },
  acceptInvitation: {
    method: 'POST',
    path: '/api/operator/invitations/accept',
    who: 'account',
    summary: 'Become an operator with the code of a one-time link',
    description:
      'The service prints a link at its start while there is no operator. `questboard operator invite` creates more. The code is the part of the link after `#`.',
    tag,
    body: invitationShape,
    answer: { status: 204, description: 'The account is an operator. The link no longer works.' },
    errors: {
      404: 'The code is unknown, used or expired, or it was for the first operator and there is one.',
      409: 'The account is already an operator.',
    },
  },
  apps: {
    method: 'GET',
    path: '/api/operator/apps',
    who: 'operator',
    summary: 'All apps',
    tag,
    query: {
      status: {
        description: 'only apps with this status; `waiting`: the app or its new redirect URIs need a decision',
        shape: appFilterShape,
      },
    },
    readQuery: ({ status }) => readFilter(status),
    answer: { description: 'In the order of application.', shape: appsShape.extend({ usernames }) },
  },
  decide: {
    method: 'POST',
    path: '/api/operator/apps/:id/:decision',
    who: 'operator',
    recentSignIn: true,
    summary: 'Decide about an app',
    description:
      'Takes effect at the next request. An approval of an app or of its redirect URIs (accept-changes) must name the reviewed revision.',
    tag,
    params: { id: 'the clientId', decision: { description: `one of ${appDecisions.join(', ')}`, read: readDecision } },
    body: optionalBody(decisionShape),
    answer: { description: 'The app.', shape: appShape },
    errors: { 409: 'The app has another status, or was changed after that revision.' },
  },
  audit: {
    method: 'GET',
    path: '/api/operator/audit',
    who: 'operator',
    summary: 'List the audit events of all accounts and apps, newest first',
    tag,
    query: {
      account: { description: 'only events of this account', shape: uuid },
      first: { description: `page size, 1 to ${MAX_EVENTS}`, shape: z.int().min(1).max(MAX_EVENTS) },
      before: { description: 'a time, or `next` of the previous page', shape: z.string() },
      event: { description: 'only events of this name', shape: z.string() },
    },
    readQuery: ({ account, ...page }) => ({
      accountId: typeof account === 'string' ? readUuid(account, 'Account') : undefined,
      page: readAuditQuery(page),
    }),
    answer: {
      description: 'One page of events.',
      shape: auditShape.extend({
        usernames,
        spaceNames: z.record(z.string(), z.string()).describe('Of the spaces in the details that exist'),
        bans: z
          .record(uuid, z.strictObject({ accountId: uuid.nullable(), address: z.string().nullable() }))
          .describe('The banned account or address of each ban in the details'),
        fileNames: z.record(uuid, z.string()).describe('Of the imports in the details'),
        objectNames: z
          .strictObject({ quest: namesById, credential: namesById, starboard: namesById })
          .describe('Of the objects in the details that exist'),
        appNames: namesById.describe('Of the apps that exist'),
        webhooks: z
          .record(uuid, z.strictObject({ accountId: uuid, host: z.string() }))
          .describe('The owner, and the host of the URL, of the webhooks in the details that exist'),
      }),
    },
  },
  plans: {
    method: 'GET',
    path: '/api/operator/plans',
    who: 'operator',
    summary: 'List the plans with the number of their valid tokens',
    tag,
    answer: {
      description: 'By name.',
      shape: z.strictObject({
        plans: z.array(
          namedPlan.extend({
            tokens: z.int(),
            fromSettings: z.boolean().describe('The limits come from the settings and cannot be changed here'),
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
    summary: 'Create a plan',
    tag,
    body: newPlanShape,
    answer: { status: 201, description: 'The plan.', shape: namedPlan },
    errors: { 409: 'A plan of this name exists.' },
  },
  setPlan: {
    method: 'PUT',
    path: '/api/operator/plans/:plan',
    who: 'operator',
    recentSignIn: true,
    summary: 'Create a plan, or change its limits',
    description: 'Tokens use the new limits at their next request.',
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
    summary: 'Delete a plan that no token has used',
    tag,
    params: { plan: 'its name' },
    answer: { status: 204, description: 'Deleted.' },
    errors: { 409: 'Tokens have used the plan, or it comes from the settings.' },
  },
  tokens: {
    method: 'GET',
    path: '/api/operator/tokens',
    who: 'operator',
    summary: 'List the server tokens of an account',
    tag,
    query: { account: { description: 'its username or id', shape: z.string(), required: true } },
    readQuery: ({ account }) =>
      readTextParameter('account', typeof account === 'string' ? account.trim() : account, 1, 200),
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
    errors: { 404: 'The account does not exist.' },
  },
  choosePlan: {
    method: 'PUT',
    path: '/api/operator/tokens/:id/plan',
    who: 'operator',
    recentSignIn: true,
    summary: 'Change the plan of a token',
    tag,
    params: { id: 'the tokenId' },
    body: planChoiceShape,
    answer: {
      description: 'Takes effect at the next request.',
      shape: z.strictObject({ tokenId: uuid, plan: z.string() }),
    },
  },
  syncs: {
    method: 'GET',
    path: '/api/operator/syncs',
    who: 'operator',
    summary: 'List the credentials with a source, and the results of their runs',
    tag,
    answer: {
      description: 'In the order of credential ids.',
      shape: z.strictObject({
        syncs: z.array(
          z.strictObject({
            credentialId: z.string(),
            name: z.string(),
            kind: z.string(),
            host: z.string().describe('The host of the source; the rest of its URL may contain a key'),
            holders: z.int(),
            syncStatus: z.string(),
            state: z.string().nullable(),
            reason: z.string().nullable().describe('The reason why the last run failed or is held'),
            failures: z.int(),
            everySeconds: z
              .int()
              .nullable()
              .describe('null if the source is requested for each query, or by acts of members'),
            mode: z
              .enum(['runs', 'live', 'acts'])
              .describe('How holders are found: by runs, by a check of each address, or by acts of members'),
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
    summary: 'Import the holders of a credential now',
    description: 'Responds when the run has begun.',
    tag,
    params: { id: 'of the credential' },
    body: optionalBody(runShape),
    answer: { status: 202, description: 'The run has begun.', shape: z.strictObject({ credentialId: z.string() }) },
    errors: { 409: 'The credential is already running, or its API is requested for each query.' },
  },
  import: {
    method: 'POST',
    path: '/api/operator/imports',
    who: 'operator',
    recentSignIn: true,
    summary: 'Import a file',
    description:
      'The body is a file for `questboard import` (docs/import.md): CSV, NDJSON or a list of holders, gzipped or not. All lines are stored, or none. The response is NDJSON that begins after the whole body was received, with a line every few seconds: `phase`, the number of lines `read`, and the progress of a step (`stored`, `of`: `what`, `total`, and `atMost` if the total is an upper limit). The last line has `result`: `stored` with counts, `refused` (nothing was stored) with the problems of the first 100 invalid lines, or `failed`. Closing the connection aborts the import, unless it is already being committed.',
    tag,
    query: importQuery,
    readQuery: readImportRequest,
    answer: {
      description: 'Progress, then the result.',
      content: { 'application/x-ndjson': { schema: {} } },
    },
    errors: { 429: 'Two imports are running in this process.' },
  },
  inbox: {
    method: 'GET',
    path: '/api/operator/inbox',
    who: 'operator',
    summary: 'Count the work that waits for an operator',
    tag,
    answer: {
      description: 'The counts.',
      shape: z.strictObject({
        appsPending: z.int().describe('New apps that wait for a decision'),
        appChanges: z.int().describe('Apps whose changes wait for a decision'),
        syncsFailed: z.int().describe('Sources whose last run failed'),
        syncsHeld: z.int().describe('Sources whose run waits for a confirmation'),
        deliveriesLate: z.int().describe('Webhook messages that were due more than five minutes ago'),
        webhooksDisabled: z.int().describe('Webhooks that were disabled because all deliveries failed'),
        bansEnding: z.int().describe('Bans that end within a week: extend them, or let them end'),
      }),
    },
  },
  usage: {
    method: 'GET',
    path: '/api/operator/usage',
    who: 'operator',
    summary: 'Get the requests of all tokens by day',
    tag,
    query: usageDays,
    readQuery: readUsageDays,
    answer: {
      description: 'Days with requests, oldest first (UTC).',
      shape: z.strictObject({
        since: z.iso.date(),
        latencyBounds: z.array(z.number()).describe('As in `GET /api/usage`'),
        days: z.array(
          z.strictObject({
            day: z.iso.date(),
            statuses: z.array(z.strictObject({ status: z.int(), requests: z.int() })),
            latencies: z.array(z.int()).describe('Requests in each range of durations'),
          }),
        ),
      }),
    },
  },
  health: {
    method: 'GET',
    path: '/api/operator/health',
    who: 'operator',
    summary: 'Run the checks of `questboard doctor`, and count pending work',
    description:
      'The checks contact all configured machines, with a timeout of five seconds each. Their results are kept for a minute.',
    tag,
    query: { again: { description: 'runs the checks again', shape: z.literal('true') } },
    readQuery: ({ again }) => readAgain(again),
    answer: {
      description: 'The results of the checks, and the pending work at the time of the request.',
      shape: z.strictObject({
        checkedAt: time.describe('The time of the checks'),
        work: z.record(z.string(), z.int()),
        webhooks: z
          .array(lateOrDisabledWebhookShape)
          .describe(
            'Webhooks with late messages, and those that were disabled because all deliveries failed; at most 100',
          ),
        findings: z.array(findingShape),
      }),
    },
  },
} as const satisfies Record<string, RouteDescription>
