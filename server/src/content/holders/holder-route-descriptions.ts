import { z } from 'zod'
import { faultShape } from '../../api/response-shapes.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { LIST_CHANGE_TIMEOUT } from '../../lifetimes.ts'
import { editableCredential, missingCredentialRights } from '../credentials/credential-rights.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { listParameters, readListQuery } from '../records/list-query.ts'
import { requireId } from '../records/store.ts'
import { invalid } from '../spaces/space-route-descriptions.ts'

const { credential } = contentKinds
const tag = 'Content'
const params = { id: { description: 'of the credential', read: (text: string) => requireId(credential, text) } }

/** The maximum size of a request, in bytes: about 90,000 addresses. */
export const MAX_BODY = 4 * 1024 * 1024

/** The maximum number of lines of a text. */
export const MAX_LINES = 200_000

/** Concurrent changes of lists in one process. */
export const MAX_CONCURRENT = 3

export const MODES = ['add', 'remove', 'replace'] as const
export type Mode = (typeof MODES)[number]

export const holderDescriptions = {
  list: {
    method: 'GET',
    path: '/api/credentials/:id/holders',
    who: 'account',
    summary: 'List the holders of a credential',
    description: 'For editors.',
    tag,
    params,
    resource: editableCredential,
    missingRight: missingCredentialRights.edit,
    query: {
      first: listParameters.first,
      after: listParameters.after,
      search: {
        description: 'the beginning of the address or handle; only Solana addresses distinguish upper and lower case',
        shape: z.string(),
      },
    },
    readQuery: readListQuery,
    answer: {
      description: 'In the order of the addresses.',
      shape: z.strictObject({
        items: z.array(
          z.strictObject({
            address: z.string(),
            username: z.string().nullable().describe('The name on leaderboards; null without a profile'),
          }),
        ),
        next: z.string().nullable(),
      }),
    },
  },
  change: {
    method: 'POST',
    path: '/api/credentials/:id/holders',
    who: 'account',
    summary: 'Add, remove or replace holders of a credential',
    description: `For editors. The text is a list with one holder in each line, CSV with the column \`address\`, or NDJSON with the key \`address\`; other columns are ignored. All lines are stored, or none. The request has at most ${MAX_BODY} bytes, and the text at most ${MAX_LINES} lines. Larger lists: the [ingest API](ingest.md).`,
    tag,
    params,
    resource: editableCredential,
    missingRight: missingCredentialRights.edit,
    largeBody: { bytes: MAX_BODY, timeout: LIST_CHANGE_TIMEOUT, concurrent: MAX_CONCURRENT },
    body: z.strictObject({
      mode: z.enum(MODES).describe('`replace` also removes the holders that the text does not have'),
      text: z.string(),
      dryRun: z.boolean().default(false).describe('Check and count the lines, and store nothing'),
    }),
    answer: {
      description: 'The numbers of changed holders.',
      shape: z.strictObject({
        lines: z.int(),
        added: z.int(),
        removed: z.int(),
        unchanged: z.int().describe('Lines without an effect, such as those of holders that are already in the list'),
        refused: z.int().describe('Invalid lines, only in a dry run'),
        problems: z
          .array(
            z.strictObject({
              line: z.int(),
              field: z.string().optional(),
              reason: z.string(),
              fault: faultShape.optional(),
            }),
          )
          .describe('The first 100, only in a dry run'),
      }),
    },
    errors: {
      ...invalid,
      413: 'The request is too large.',
      429: 'This account is already changing a list, or the service is changing many.',
    },
  },
} as const satisfies Record<string, RouteDescription>
