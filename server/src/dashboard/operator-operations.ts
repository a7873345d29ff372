import { z } from 'zod'
import { auditShape, identityShape, time, uuid } from '../api/answer-shapes.ts'
import { MAX_EVENTS } from '../audit/audit-page.ts'
import { changing, reading } from '../api/operation.ts'
import { kindNames } from '../ingest/kinds.ts'
import { appDecisions } from '../oauth/apps.ts'
import { appFilterShape, appShape, appsShape } from './app-operations.ts'
import { tokenShape } from './operations.ts'
import { decisionShape, newPlanShape, planChoiceShape, planShape, runShape } from './request-shapes.ts'

const tag = 'Operators'
const who = 'operator'
const namedPlan = planShape.extend({ plan: z.string() })

export const operatorOperations = {
  apps: reading({
    summary: 'All apps',
    tag,
    who,
    query: {
      status: {
        description: 'only these; `waiting`: a decision about the app or about its new redirect URIs is needed',
        shape: appFilterShape,
      },
    },
    answer: { description: 'In the order of application.', shape: appsShape },
  }),
  decide: changing({
    summary: 'Decide about an app',
    description:
      'It holds from the next request on. An approval of an app or of its changed redirect URIs (accept-changes) names the revision that was looked at.',
    tag,
    who: 'fresh operator',
    path: { id: 'the clientId', decision: `one of ${appDecisions.join(', ')}` },
    body: decisionShape,
    answer: { description: 'The app.', shape: appShape },
    refusals: { 409: 'The app is in another status, or was changed since that revision.' },
  }),
  audit: reading({
    summary: 'What happened to all accounts and apps, newest first',
    tag,
    who,
    query: {
      account: { description: 'of this account only', shape: uuid },
      first: { description: `at most so many, 1 to ${MAX_EVENTS}`, shape: z.int().min(1).max(MAX_EVENTS) },
      before: { description: 'a time, or `next` of the page before', shape: z.string() },
      event: { description: 'only events of this name', shape: z.string() },
    },
    answer: { description: 'One page of events.', shape: auditShape },
  }),
  plans: reading({
    summary: 'The plans, with the number of live tokens on each',
    tag,
    who,
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
  }),
  makePlan: changing({
    summary: 'Make a plan',
    tag,
    who: 'fresh operator',
    body: newPlanShape,
    answer: { status: 201, description: 'The plan.', shape: namedPlan },
    refusals: { 409: 'There is a plan of this name.' },
  }),
  setPlan: changing({
    summary: 'Make a plan, or change its limits',
    description: 'Tokens follow their plan with the next request.',
    tag,
    who: 'fresh operator',
    path: { plan: 'its name: 1 to 40 of a-z, 0-9 and -' },
    body: planShape,
    answer: { description: 'The plan.', shape: namedPlan },
    refusals: { 409: 'The plan comes from the settings.' },
  }),
  deletePlan: changing({
    summary: 'Delete a plan that no token has or had',
    tag,
    who: 'fresh operator',
    path: { plan: 'its name' },
    answer: { status: 204, description: 'Deleted.' },
    refusals: { 409: 'Tokens have it, or it comes from the settings.' },
  }),
  tokens: reading({
    summary: 'The server access tokens of an account',
    tag,
    who,
    query: { account: { description: 'its username or id', shape: z.string(), required: true } },
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
    refusals: { 404: 'There is no such account.' },
  }),
  choosePlan: changing({
    summary: 'Put a token on another plan',
    tag,
    who: 'fresh operator',
    path: { id: 'the tokenId' },
    body: planChoiceShape,
    answer: {
      description: 'It holds from the next request on.',
      shape: z.strictObject({ tokenId: uuid, plan: z.string() }),
    },
  }),
  syncs: reading({
    summary: 'The credentials whose holders come from a source, and how their runs went',
    tag,
    who,
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
  }),
  runSync: changing({
    summary: 'Bring the holders of a credential in now',
    description: 'Answered when the run has begun.',
    tag,
    who: 'fresh operator',
    path: { id: 'of the credential' },
    body: runShape,
    answer: { status: 202, description: 'The run has begun.', shape: z.strictObject({ credentialId: z.string() }) },
    refusals: { 409: 'It runs already, or is asked at answer time.' },
  }),
  import: changing({
    summary: 'Import a file: all of it or nothing',
    description:
      'The body is the file as `questboard import` takes it (docs/import.md): CSV, NDJSON or a list of holders, gzipped or not. The answer is NDJSON, which begins when the body has come whole, with a line every few seconds until the import has ended: `phase`, how many lines were `read`, and, while they are stored, how much of a step is (`stored`, `of`: `what`, `total`, and whether that is what it stores `atMost`); the last one has `result`: `stored` with counts, `refused` (nothing was stored) with the problems of the first 100 bad lines, or `failed`. Closing the connection stops the import; what was being committed at that moment stands.',
    tag,
    who: 'fresh operator',
    query: {
      kind: { description: 'what the file holds; without it its fields tell', shape: z.enum(kindNames) },
      credentialId: { description: 'the credential of holders whose lines name none', shape: z.string() },
      replace: {
        description: 'the holders are the whole list of their credentials from now on',
        shape: z.literal('true'),
      },
    },
    answer: {
      description: 'Progress, and at the end the result.',
      content: { 'application/x-ndjson': { schema: {} } },
    },
    refusals: { 429: 'Two imports are under way in this process.' },
  }),
  health: reading({
    summary: 'What `questboard doctor` finds, and the work that waits',
    tag,
    who,
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
  }),
}
