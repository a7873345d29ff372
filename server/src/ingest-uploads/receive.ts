import type { Readable } from 'node:stream'
import { audit } from '../audit/audit.ts'
import { ApiError, conflict } from '../errors.ts'
import { ImportFileError } from '../ingest/source.ts'
import { arriving } from '../ingest/upload.ts'
import { nowOf } from '../services.ts'
import type { SessionServices } from '../sessions/with-account.ts'
import { withOperator } from '../sessions/with-account.ts'
import {
  countUnfinished,
  deleteUpload,
  endUpload,
  insertChunk,
  insertImport,
  type NewImport,
  touchUpload,
} from './imports.queries.ts'
import { fault } from '../texts/faults.ts'
import { MAX_KEPT_BYTES, MAX_UNFINISHED } from './limits.ts'
import { previewOf } from './preview.ts'

const CHUNK = 1024 * 1024
const uploadEnded = () => new ImportFileError('The upload was cancelled, or took too long.', fault('upload_ended'))

/**
 * Stores an upload in pieces, and releases it for the check.
 * @returns the id of the import
 * @throws ApiError; then no part of the file is kept
 */
export async function receiveFile(
  services: SessionServices,
  bytes: Readable,
  wanted: Omit<NewImport, 'id' | 'at' | 'accountId'>,
): Promise<string> {
  const { actor } = services
  const { kysely } = services.database
  const id = services.random.uuid()
  await withOperator(services, actor, async (trx) => {
    if ((await countUnfinished(trx)) >= MAX_UNFINISHED)
      throw conflict('too_many_imports', `${MAX_UNFINISHED} imports have not ended; apply or cancel one first`)
    await insertImport(trx, { ...wanted, id, accountId: actor.accountId, at: nowOf(services) })
  })
  try {
    let received = 0
    let chunk = 0
    let start: Buffer = Buffer.alloc(0)
    for await (const piece of pieces(arriving(bytes, MAX_KEPT_BYTES))) {
      if (chunk === 0) start = piece
      received += piece.length
      await insertChunk(kysely, id, chunk++, piece)
      if (!(await touchUpload(kysely, id, nowOf(services)))) throw uploadEnded()
    }
    if (received === 0) throw new ImportFileError('The file is empty.', fault('empty_file'))
    const ofHolders = wanted.credentialId !== undefined || wanted.replace
    const preview = previewOf(start, { fileName: wanted.fileName, kind: wanted.kind, ofHolders })
    await withOperator(services, actor, async (trx) => {
      if (!(await endUpload(trx, id, { bytes: received, preview }))) throw uploadEnded()
      const { accountId, network } = actor
      await audit(services, { accountId, network, event: 'import.uploaded', details: { import: id } }, trx)
    })
    return id
  } catch (error) {
    await deleteUpload(kysely, id)
    if (!(error instanceof ImportFileError)) throw error
    throw new ApiError('invalid_argument', error.message, { fault: error.fault })
  }
}

/** Joins small parts. Each piece but the last has at least the size of a chunk. */
async function* pieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for await (const part of bytes) {
    waiting.push(part)
    size += part.length
    if (size < CHUNK) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}
