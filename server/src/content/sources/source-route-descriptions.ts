import { z } from 'zod'
import { time } from '../../api/response-shapes.ts'
import { optionalBody } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { kinds } from '../../ingest/kinds.ts'
import { FIELD_TYPES } from '../../sync/describe-kinds.ts'
import { editableCredential, missingCredentialRights, visibleCredential } from '../credentials/credential-rights.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { requireId } from '../records/store.ts'
import { spaceIdShape } from '../request-shapes.ts'
import { invalid } from '../spaces/space-route-descriptions.ts'

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
  source: settings.nullable().describe('null without a source, or if it was encrypted with another secret'),
  kind: z.string().nullable().describe('null without a source'),
  host: z.string().nullable().describe('null without a source; empty if it has none'),
  publicOnly: z.boolean().describe('Whether requests go to public hosts only, because no operator set the source'),
  state: z.string().nullable(),
  reason: z.string().nullable().describe('The reason why the last run failed or is held'),
  failures: z.int(),
  nextRunAt: time.nullable(),
  lastRunAt: time.nullable(),
  lastSuccessAt: time.nullable(),
  version: z.string().nullable().describe('null without a source'),
})

const fieldShape = z.strictObject({
  path: z.string().describe('In the source, such as next.page.parameter'),
  type: z.enum(FIELD_TYPES).describe('`variants`: one of several objects; their settings follow with `variant`'),
  required: z.boolean(),
  default: z.unknown().describe('null if there is none'),
  writeOnly: z.boolean().describe('Whether reads have `{"stored": …}` in place of the value'),
  choices: z.array(z.string()).describe('The values of a choice, or the names of the variants'),
  variant: z
    .strictObject({ of: z.string(), name: z.string() })
    .nullable()
    .describe('The setting and its variant or value with which this setting is used; null: always'),
  minimum: z.number().nullable(),
  maximum: z.number().nullable(),
  maxLength: z.int().nullable().describe('Of a text, and of each line'),
  orNumber: z.boolean().describe('Whether a text of digits is sent as a number'),
})

const kindShape = z.strictObject({
  kind: z.string(),
  group: z.enum(['lists', 'chains', 'platforms', 'members', 'checks']),
  lists: z.boolean().describe('Whether runs import a list'),
  checks: z.boolean().describe('Whether it can check one holder'),
  act: z.enum(['quiz', 'visit']).nullable().describe('The act by which members become holders'),
  credType: z.string().nullable().describe('The only type of credentials that it fits; null for all'),
  identityKind: z.string().nullable().describe('The kind of the identities that it checks'),
  credSource: z.string().describe('The `credSource` of a new credential with this kind'),
  fields: z.array(fieldShape).describe('Empty for kinds with an act'),
})

const trialRequest = z.strictObject({
  credentialId: z.string().max(20).optional().describe('An existing credential, whose stored values may be used'),
  spaceId: spaceIdShape.optional().describe('For a new credential: the space that will curate it'),
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

export const sourceDescriptions = {
  kinds: {
    method: 'GET',
    path: '/api/sources/kinds',
    who: 'account',
    summary: 'List the kinds of sources with their settings',
    tag,
    answer: {
      description: 'From the schemas that validate sources.',
      shape: z.strictObject({ kinds: z.array(kindShape) }),
    },
  },
  view: {
    method: 'GET',
    path: '/api/credentials/:id/source',
    who: 'account',
    summary: 'Get the source of a credential, without its secrets',
    tag,
    params,
    resource: visibleCredential,
    missingRight: missingCredentialRights.view,
    answer: { description: 'The source, and the result of its last run.', shape: sourceShape },
  },
  set: {
    method: 'PUT',
    path: '/api/credentials/:id/source',
    who: 'account',
    summary: 'Set the source of a credential',
    description:
      'For editors. The service starts the first run within seconds; the list stays until then. Only operators may name hosts of QUESTBOARD_OUTGOING_HOSTS.',
    tag,
    params,
    resource: editableCredential,
    missingRight: missingCredentialRights.edit,
    body: z.strictObject({
      source: settings,
      version: z
        .string()
        .max(40)
        .nullable()
        .describe('The `version` of the source that is replaced; null if there is none'),
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
    missingRight: missingCredentialRights.edit,
    answer: { status: 204, description: 'The credential has no source.' },
  },
  run: {
    method: 'POST',
    path: '/api/credentials/:id/source/run',
    who: 'account',
    summary: 'Import the holders of a credential from its source now',
    description:
      'For editors. Responds when the run has begun. Only admins and the owner of the space confirm a run that is held. Runs count as tests of sources.',
    tag,
    params,
    // With `confirm`, the caller needs more than this right, which is checked after the body.
    resource: editableCredential,
    missingRight: missingCredentialRights.edit,
    body: optionalBody(
      z.strictObject({
        confirm: z.boolean().default(false).describe('Allow the removal of any number of holders'),
      }),
    ),
    answer: { status: 202, description: 'The run has begun.', shape: z.strictObject({ credentialId: z.string() }) },
    errors: {
      409: 'The credential is already running, or its source has no list or cannot be decrypted.',
      429: 'The account has tested or run 60 sources within an hour.',
    },
  },
  list: {
    method: 'GET',
    path: '/api/credentials/:id/list',
    who: 'account',
    summary: 'Get whether the list of holders of a credential is kept current',
    tag,
    params,
    answer: {
      description: 'For every account, also outside of the team.',
      shape: z.strictObject({
        credentialId: z.string(),
        syncedAt: time.nullable().describe('The last successful run or import; null before the first'),
        failing: z.boolean().describe('Whether the last run failed or is held'),
        inTeam: z.boolean().describe('Whether the caller may read the source, and the reason of a failure'),
      }),
    },
  },
  test: {
    method: 'POST',
    path: '/api/sources/test',
    who: 'account',
    summary: 'Read the first entries of a source, before it is stored',
    description:
      'For editors. Stores nothing. A source of a contract is tested with the recipients of its first transfers, and a source without a list with one address.',
    tag,
    missingRight: missingCredentialRights.edit,
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
