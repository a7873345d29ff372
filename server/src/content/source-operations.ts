import { z } from 'zod'
import { time } from '../api/answer-shapes.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { kinds } from '../ingest/kinds.ts'
import { contentKinds } from './content-kinds.ts'
import { invalid } from './space-operations.ts'
import { requireId } from './store.ts'

const { credential } = contentKinds
const tag = 'Content'
const params = { id: { description: 'of the credential', read: (text: string) => requireId(credential, text) } }
const MAX_ADDRESS = 320

const settings = z
  .record(z.string(), z.unknown(), 'must be an object')
  .describe(
    'The settings of docs/sync.md. URLs, header values, keys and the answers of a quiz are write-only: reads have `{"stored": …}`, and a change that sends this keeps the value.',
  )

const sourceShape = z.strictObject({
  credentialId: z.string(),
  source: settings.nullable().describe('null without a source, or if its secret is unknown'),
  publicOnly: z.boolean().describe('Whether requests go to public hosts only, because no operator set the source'),
  state: z.string().nullable(),
  reason: z.string().nullable().describe('The reason why the last run failed or is held'),
  failures: z.int(),
  nextRunAt: time.nullable(),
  lastRunAt: time.nullable(),
  lastSuccessAt: time.nullable(),
  version: z.string().nullable().describe('null without a source'),
})

const trialRequest = z.strictObject({
  credentialId: z.string().max(20).optional().describe('An existing credential, whose stored values may be used'),
  spaceId: z.int().optional().describe('For a new credential: the space that will curate it'),
  credType: z
    .string()
    .max(40)
    .optional()
    .describe(`For a new credential: ${kinds.credentials.fields.credType?.allowed}`),
  source: settings,
  address: z
    .string()
    .max(MAX_ADDRESS)
    .optional()
    .describe('For kinds without a list: the address, mail address or user id to check'),
})

export const sourceOperations = {
  view: {
    method: 'GET',
    path: '/api/credentials/:id/source',
    who: 'account',
    summary: 'Get the source of a credential, without its secrets',
    tag,
    params,
    answer: { description: 'The source, and the result of its last run.', shape: sourceShape },
    errors: { 403: 'The account is not in the team of the space that curates the credential.' },
  },
  set: {
    method: 'PUT',
    path: '/api/credentials/:id/source',
    who: 'account',
    summary: 'Set the source of a credential',
    description:
      'For editors. The first run is due at once; the list stays until then. Only operators may name hosts of QUESTBOARD_OUTGOING_HOSTS.',
    tag,
    params,
    body: z.strictObject({
      source: settings,
      version: z.string().max(40).nullable().describe('The `version` of the source that is replaced; null without one'),
    }),
    answer: { description: 'The source.', shape: sourceShape },
    errors: { ...invalid, 409: 'Another request has changed the source since `version`.' },
  },
  remove: {
    method: 'DELETE',
    path: '/api/credentials/:id/source',
    who: 'account',
    summary: 'Remove the source of a credential',
    description: 'For editors. The holders stay as they are.',
    tag,
    params,
    answer: { status: 204, description: 'The credential has no source.' },
  },
  test: {
    method: 'POST',
    path: '/api/sources/test',
    who: 'account',
    summary: 'Read the first entries of a source, before it is stored',
    description:
      'For editors. Stores nothing. A source of a contract is tested with the recipients of its first transfers, and a source without a list with one address.',
    tag,
    body: trialRequest,
    answer: {
      description: 'What was found. A source that fails is a result, too.',
      shape: z.strictObject({
        works: z.boolean(),
        message: z
          .string()
          .nullable()
          .describe('The reason why the source does not work; or for kinds without requests, what members do'),
        read: z.int(),
        invalid: z.int().describe('Entries that are not holders of the credential’s type'),
        complete: z.boolean().describe('Whether these are all entries of the source'),
        holds: z.boolean().nullable().describe('For kinds without a list: whether the address is a holder'),
        entries: z.array(
          z.strictObject({
            entry: z.string(),
            holder: z.string().nullable().describe('In canonical form; null if invalid'),
          }),
        ),
      }),
    },
    errors: { ...invalid, 429: 'The account has tested 60 sources within an hour.' },
  },
} as const satisfies Record<string, RouteDescription>
