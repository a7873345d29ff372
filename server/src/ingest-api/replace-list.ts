import type { Readable } from 'node:stream'
import type { Dependencies } from '../dependencies.ts'
import { bigId } from '../ingest/fields.ts'
import { holders } from '../ingest/kinds/holders.ts'
import { readCredentialTypes } from '../ingest/kinds/holders.queries.ts'
import { Problems } from '../ingest/problems.ts'
import { type Format, readRows } from '../ingest/read-rows.ts'
import { replaceHolders } from '../ingest/replace-holders.ts'
import { linesOf } from '../ingest/source.ts'
import { SILENT_UPLOAD } from '../lifetimes.ts'
import type { IngestCaller } from './authenticate.ts'
import { IngestError, invalidRequest, permissionDenied } from './ingest-error.ts'

/** A body that is read while it arrives. */
export interface Upload {
  format: Format
  bytes: Readable
}

export interface ReplacedList {
  credentialId: string
  /** Holders of the list as it answers from now on. */
  itemCount: number
  /** Lines that were read; more than itemCount when holders were repeated. */
  read: number
}

/**
 * Makes the uploaded holders the whole list of a credential: all of them at once, or none when any line is bad.
 * @throws INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND about the credential; ImportRefusedError about lines
 */
export async function replaceList(
  deps: Pick<Dependencies, 'database' | 'clock'>,
  caller: IngestCaller,
  asked: unknown,
  upload: Upload,
): Promise<ReplacedList> {
  const id = bigId('')
  const credentialId = typeof asked === 'string' ? id.read(asked) : undefined
  if (credentialId === undefined)
    throw invalidRequest(`credentialId in the address must be ${id.allowed}`, 'credentialId')
  const { credentialIds } = caller.scope
  if (credentialIds && !credentialIds.includes(credentialId))
    throw permissionDenied(`This token may not write credential ${credentialId}`, 'credentialId')
  const types = await readCredentialTypes(deps.database.kysely, [credentialId])
  if (!types.has(credentialId))
    throw new IngestError(404, 'NOT_FOUND', `Credential ${credentialId} is not known; create it first`, {
      field: 'credentialId',
    })
  const kind = holders(types, credentialId)
  const problems = new Problems()
  const rows = readRows(upload.format, linesOf(arriving(upload.bytes)), kind.fields, problems)
  const report = await replaceHolders(deps, kind, rows, problems)
  if (report.read === 0)
    throw invalidRequest('There are no holders in the body; a list is not replaced by nothing. Remove holders instead')
  return { credentialId, itemCount: report.added, read: report.read }
}

/** The bytes of an upload, as long as it goes on. */
async function* arriving(bytes: Readable): AsyncGenerator<Buffer> {
  const silent = () => bytes.destroy(new IngestError(408, 'TIMEOUT', 'The upload stood still for too long'))
  let timer = setTimeout(silent, SILENT_UPLOAD)
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(silent, SILENT_UPLOAD)
    }
  } finally {
    clearTimeout(timer)
  }
}
