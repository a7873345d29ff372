import { faultShape } from '../api/response-shapes.ts'
import { z } from 'zod'
import { time, uuid } from '../api/response-shapes.ts'
import { readUuid, uuidParameter } from '../api/read-body.ts'
import type { RouteDescription } from '../api/route-description.ts'
import { invalidField, notFound } from '../errors.ts'
import { type KindName, kindNames } from '../ingest/kinds.ts'
import { importQuery, type ImportRequest, readImportRequest } from './import-request.ts'
import { IMPORT_STATES } from './imports.queries.ts'
import { MAX_FILE_NAME, MAX_KEPT_BYTES, MAX_UNFINISHED, MAX_UPLOADS } from './limits.ts'
import { fault } from '../texts/faults.ts'

const tag = 'Operators'
const params = { id: uuidParameter('of the import', 'Import') }
const count = z.int().nullable()
const author = z.strictObject({ id: uuid, username: z.string().nullable().describe('null if the account was deleted') })

const importShape = z.strictObject({
  id: uuid,
  fileName: z.string(),
  bytes: z.int(),
  by: author,
  kind: z.string().nullable().describe('Chosen by the operator or detected; null if it is unknown'),
  credentialId: z.string().nullable(),
  replace: z.boolean(),
  state: z
    .enum(IMPORT_STATES)
    .describe(
      '`checking`: a dry run is in progress; `checked`: the import waits for a confirmation; `refused`: the file is invalid; `expired`: it was not confirmed within a day',
    ),
  preview: z
    .strictObject({
      kind: z.string().nullable(),
      format: z.enum(['csv', 'ndjson', 'list']).nullable(),
      columns: z.array(z.strictObject({ name: z.string(), known: z.boolean() })),
      rows: z.array(z.strictObject({ line: z.int(), values: z.array(z.string()) })),
      newNames: z
        .strictObject({ count: z.int(), examples: z.array(z.string()) })
        .optional()
        .describe(
          'For points: the new members whose name does not look like an address, a mail address or an account ID',
        ),
    })
    .nullable()
    .describe('The first rows. Null if the import has ended, but a refused import keeps them for a day'),
  progress: z.looseObject({ phase: z.string(), read: z.int() }).nullable(),
  lines: count.describe('null until the check ends'),
  added: count,
  changed: count,
  removed: count.describe('Holders that a replacement removes'),
  unchanged: count,
  takenBack: count.describe(
    'For awards: the unchanged lines whose awards were taken back before. Their keys stay used, so give the lines other keys to award the points again',
  ),
  banned: count.describe('For awards: the new lines whose points count only when a ban ends'),
  problems: z
    .array(
      z.looseObject({ line: z.int(), field: z.string().optional(), reason: z.string(), fault: faultShape.optional() }),
    )
    .describe('The first 100'),
  problemCount: z.int(),
  message: z.string().nullable().describe('The reason why the whole file is invalid, or the import failed'),
  fault: faultShape.nullable().describe('The reason of `message`, for texts in other languages'),
  createdAt: time,
  checkedAt: time.nullable(),
  appliedBy: author.nullable(),
  endedAt: time.nullable(),
  spaces: z
    .array(z.strictObject({ id: z.int(), name: z.string().nullable() }))
    .nullable()
    .describe('The first 20 spaces whose points the file changes; null for other kinds, and before the check'),
  spaceCount: count.describe('All spaces whose points the file changes; null if `spaces` is null'),
  undo: z
    .strictObject({
      by: author,
      at: time,
      endedAt: time.nullable().describe('null while the entries are reversed'),
      reversed: z.int().describe('Entries that were reversed'),
      before: z.int().describe('Entries that had been reversed before'),
      refused: z.int().describe('Entries that cannot be reversed, for example because they expired'),
    })
    .nullable()
    .describe('null if the import was not undone'),
})

const listedShape = importShape.omit({ preview: true, progress: true, problems: true })

export interface UploadQuery extends ImportRequest {
  fileName: string
}

function readUpload({ fileName, ...request }: Record<string, unknown>): UploadQuery {
  const name = typeof fileName === 'string' ? fileName.trim().toWellFormed().replaceAll('\0', '') : ''
  if (name === '' || name.length > MAX_FILE_NAME)
    throw invalidField(
      'fileName',
      `must be a name of 1 to ${MAX_FILE_NAME} characters`,
      fault('wrong_length', { min: 1, max: MAX_FILE_NAME }),
    )
  return { fileName: name, ...readImportRequest(request) }
}

function readKind(text: string): KindName {
  const kind = kindNames.find((known) => `${known}.csv` === text)
  if (!kind) throw notFound('Template')
  return kind
}

export const importDescriptions = {
  list: {
    method: 'GET',
    path: '/api/operator/imports',
    who: 'operator',
    summary: 'List the imports of uploaded files',
    description:
      'The items have no `preview`, `progress` and `problems`. Ended imports are listed for 90 days, at most the newest 1,000.',
    tag,
    query: { after: { description: 'the `next` of the previous page', shape: z.string() } },
    readQuery: ({ after }) =>
      after === undefined ? undefined : readUuid(typeof after === 'string' ? after : '', 'Import'),
    answer: {
      description: 'Newest first, 50 a page.',
      shape: z.strictObject({ items: z.array(listedShape), next: z.string().nullable() }),
    },
  },
  upload: {
    method: 'POST',
    path: '/api/operator/imports/uploads',
    who: 'operator',
    recentSignIn: true,
    summary: 'Upload a file and check it',
    description: `The body is a file for \`questboard import\` of at most ${MAX_KEPT_BYTES} bytes. The response is sent after the upload; then a dry run checks the file in the background. Get the import repeatedly until its state is \`checked\`, then apply it.`,
    tag,
    query: {
      fileName: { description: `1 to ${MAX_FILE_NAME} characters`, shape: z.string(), required: true },
      ...importQuery,
    },
    readQuery: readUpload,
    answer: { status: 201, description: 'The import, in the state `checking`.', shape: importShape },
    errors: {
      409: `${MAX_UNFINISHED} imports have not ended; apply or cancel one.`,
      429: `This process is already receiving ${MAX_UPLOADS} uploads.`,
    },
  },
  template: {
    method: 'GET',
    path: '/api/operator/imports/templates/:file',
    who: 'operator',
    summary: 'Download a CSV file with the columns of a kind and an example',
    tag,
    params: { file: { description: `the kind and \`.csv\`: one of ${kindNames.join(', ')}`, read: readKind } },
    answer: { description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } },
  },
  view: {
    method: 'GET',
    path: '/api/operator/imports/:id',
    who: 'operator',
    summary: 'Get an import',
    tag,
    params,
    answer: { description: 'The import.', shape: importShape },
  },
  apply: {
    method: 'POST',
    path: '/api/operator/imports/:id/apply',
    who: 'operator',
    recentSignIn: true,
    summary: 'Store a checked file',
    description: 'All lines are stored, or none. The file is checked again.',
    tag,
    params,
    answer: { status: 202, description: 'The import, in the state `storing`.', shape: importShape },
    errors: { 409: 'The import is not in the state `checked`.' },
  },
  cancel: {
    method: 'POST',
    path: '/api/operator/imports/:id/cancel',
    who: 'operator',
    summary: 'Cancel an import',
    description:
      'Nothing is stored. A running check or import stops within a few seconds. An upload in progress fails with 400.',
    tag,
    params,
    answer: { description: 'The import.', shape: importShape },
    errors: { 409: 'The import has ended.' },
  },
  undo: {
    method: 'POST',
    path: '/api/operator/imports/:id/undo',
    who: 'operator',
    recentSignIn: true,
    summary: 'Undo a stored import of points',
    description:
      'Reverses the entries of the import in the ledger, in the background. Entries that were already reversed stay as they are. A second call changes nothing. Keys of awards stay used: a file that awards the points again needs other keys. Points that rules gave for the awards stay.',
    tag,
    params,
    answer: { status: 202, description: 'The import, with `undo`.', shape: importShape },
    errors: {
      409: 'The import is not stored, has no points, or was checked by a version that could not undo imports.',
    },
  },
} as const satisfies Record<string, RouteDescription>
