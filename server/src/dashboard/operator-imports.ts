import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { isCredentialId } from '../features/credential-id.ts'
import type { DB } from '../database/tables.ts'
import { ApiError, invalidField } from '../api/api-error.ts'
import { audit } from '../audit/audit.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import type { Services } from '../services.ts'
import { importFile, type ImportFileOptions, type StoredFile } from '../ingest/import-file.ts'
import { type KindName, kindNames } from '../ingest/kinds.ts'
import { ImportRefusedError, type Problem } from '../ingest/problems.ts'
import { ImportFileError } from '../ingest/source.ts'
import { SILENT_UPLOAD } from '../lifetimes.ts'
import { answerImport, type ImportAnswer } from './import-answer.ts'
import { operatorOperations } from './operator-operations.ts'
import { requireFreshOperator } from './require-operator.ts'
import { arriving } from './upload.ts'

/** Imports that a process works on at the same time. */
const MOST_AT_ONCE = 2

/** Lets a request take longer than others, because it brings a large body. */
export type AllowLongUpload = (request: IncomingMessage) => void

/**
 * `POST /api/operator/imports`: a file, as `questboard import` takes it: all of it or nothing. The answer is NDJSON that
 * is written while the import goes on; its last line tells how it ended. Who closes the connection before stops it.
 */
export function registerOperatorImports(scope: FastifyInstance, services: Services, allow: AllowLongUpload): void {
  let underWay = 0
  void scope.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _body, done) => done(null))
    raw.post('/api/operator/imports', operatorOperations.import, async (request, reply) => {
      checkCsrf(services, request)
      const { accountId } = await requireFreshOperator(services, request)
      const { network } = request
      const wanted = readWanted(request.query as Record<string, unknown>)
      if (underWay >= MOST_AT_ONCE)
        throw new ApiError(429, 'too_many_requests', `${MOST_AT_ONCE} imports are under way; wait for one to end`, {
          headers: { 'retry-after': '10' },
        })
      allow(request.raw)
      void reply.hijack()
      underWay++
      const answer = answerImport(request.raw, reply.raw, services.clock)
      try {
        const stored = (transaction: Transaction<DB>, { kind, read, added }: StoredFile) => {
          const details = { kind, read: String(read), added: String(added) }
          return audit(services, { accountId, event: 'data.imported', network, details }, transaction)
        }
        answer.conclude(await runImport(services, request.raw, answer, { ...wanted, stored }))
      } catch (error) {
        const level = answer.gone.aborted ? 'warn' : 'error'
        services.log[level]({ err: error, request_id: request.id }, 'an import failed')
        answer.conclude({ result: 'failed', message: NOBODY_KNOWS })
      } finally {
        answer.end()
        underWay--
        letGo(request.raw)
      }
    })
  })
}

/** It may have failed after the commit, which the import cannot tell from one before it. */
const NOBODY_KNOWS = 'Internal error. Whether the file was stored is not known; sending the same file again is safe'

interface Wanted {
  kind: KindName | undefined
  credentialId: string | undefined
  replace: boolean
}

/** The last line of the answer. */
type Ended =
  ({ result: 'stored' } & StoredFile) | { result: 'refused'; message?: string; count: number; problems: Problem[] }

async function runImport(
  { database, clock }: Services,
  request: IncomingMessage,
  answer: ImportAnswer,
  wanted: Wanted & Pick<ImportFileOptions, 'stored'>,
): Promise<Ended> {
  let lines = 0
  try {
    const report = await importFile({ database, clock, signal: answer.gone }, '-', {
      ...wanted,
      standardInput: Readable.from(arriving(request)),
      progress: {
        opened: (_source, kind) => answer.tell({ phase: 'reading', kind, read: 0 }),
        phase: (phase, count) => answer.tell({ phase, read: (lines = count) }),
        read: (read) => answer.tellNowAndThen({ phase: 'reading', read }),
        stored: (stored, step) => answer.tellNowAndThen({ phase: 'writing', read: lines, stored, of: step }),
      },
    })
    return { result: 'stored', ...report }
  } catch (error) {
    if (error instanceof ImportRefusedError) return { result: 'refused', count: error.count, problems: error.problems }
    if (error instanceof ImportFileError) return { result: 'refused', message: error.message, count: 0, problems: [] }
    throw error
  }
}

function readWanted({ kind, credentialId, replace }: Record<string, unknown>): Wanted {
  if (kind !== undefined && !kindNames.includes(kind as KindName))
    throw invalidField('kind', `must be one of ${kindNames.join(', ')}`)
  if (credentialId !== undefined && (typeof credentialId !== 'string' || !isCredentialId(credentialId)))
    throw invalidField('credentialId', 'must be the id of a credential')
  if (replace !== undefined && replace !== 'true') throw invalidField('replace', 'must be true, or left out')
  if ((credentialId !== undefined || replace !== undefined) && kind !== undefined && kind !== 'holders')
    throw invalidField(credentialId === undefined ? 'replace' : 'credentialId', 'goes with holders alone')
  return { kind: kind as KindName | undefined, credentialId, replace: replace === 'true' }
}

/** What goes on arriving after the answer is let go on for a while, so that the answer can be read. */
function letGo(request: IncomingMessage): void {
  if (request.complete) return
  request.resume()
  setTimeout(() => {
    if (!request.complete) request.destroy()
  }, SILENT_UPLOAD).unref()
}
