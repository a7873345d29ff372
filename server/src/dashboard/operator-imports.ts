import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ApiError, invalidField } from '../identity/api-error.ts'
import { networkOf } from '../identity/attempts.ts'
import { audit } from '../identity/audit.ts'
import { checkCsrf } from '../identity/csrf.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { importFile } from '../ingest/import-file.ts'
import { type KindName, kindNames } from '../ingest/kinds.ts'
import { ImportRefusedError, type Problem } from '../ingest/problems.ts'
import type { ImportReport } from '../ingest/run-import.ts'
import { ImportFileError } from '../ingest/source.ts'
import { SILENT_UPLOAD } from '../lifetimes.ts'
import { operatorOperations } from './operator-operations.ts'
import { requireOperator } from './require-operator.ts'
import { arriving } from './upload.ts'

/** Imports that a process works on at the same time. */
const MOST_AT_ONCE = 2
const TELL_EVERY_MS = 250

/** Lets a request take longer than others, because it brings a large body. */
export type AllowLongUpload = (request: IncomingMessage) => void

/**
 * `POST /api/operator/imports`: a file, as `questboard import` takes it: all of it or nothing. The answer is NDJSON that
 * is written while the import goes on; its last line tells how it ended.
 */
export function registerOperatorImports(scope: FastifyInstance, signIn: SignIn, allow: AllowLongUpload): void {
  let underWay = 0
  void scope.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _body, done) => done(null))
    raw.post('/api/operator/imports', operatorOperations.import, async (request, reply) => {
      checkCsrf(signIn, request)
      const accountId = await requireOperator(signIn, request)
      const wanted = readWanted(request.query as Record<string, unknown>)
      if (underWay >= MOST_AT_ONCE)
        throw new ApiError(429, 'too_many_requests', `${MOST_AT_ONCE} imports are under way; wait for one to end`, {
          headers: { 'retry-after': '10' },
        })
      allow(request.raw)
      void reply.hijack()
      underWay++
      try {
        const ended = await runImport(signIn, request.raw, reply.raw, wanted)
        if (ended.result === 'stored') {
          const details = { kind: ended.kind, read: String(ended.read), added: String(ended.added) }
          await audit(signIn, { accountId, event: 'data.imported', address: networkOf(request.ip), details })
        }
        reply.raw.end(`${JSON.stringify(ended)}\n`)
      } catch (error) {
        signIn.log.error({ err: error, request_id: request.id }, 'an import failed')
        reply.raw.end(`${JSON.stringify({ result: 'failed', message: 'Internal error; nothing was stored' })}\n`)
      } finally {
        underWay--
        letGo(request.raw)
      }
    })
  })
}

interface Wanted {
  kind: KindName | undefined
  credentialId: string | undefined
  replace: boolean
}

/** The last line of the answer. */
type Ended =
  | ({ result: 'stored'; kind: KindName } & ImportReport)
  | { result: 'refused'; message?: string; count: number; problems: Problem[] }

async function runImport(
  signIn: SignIn,
  request: IncomingMessage,
  response: ServerResponse,
  wanted: Wanted,
): Promise<Ended> {
  const { database, clock } = signIn
  const stopping = new AbortController()
  request.once('close', () => {
    if (!request.complete) stopping.abort(new ImportFileError('The sender has gone. Nothing was stored.'))
  })
  response.writeHead(200, {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  let toldAt = 0
  const tell = (state: object) => {
    toldAt = clock.now()
    response.write(`${JSON.stringify(state)}\n`)
  }
  try {
    const report = await importFile({ database, clock, signal: stopping.signal }, '-', {
      ...wanted,
      standardInput: Readable.from(arriving(request)),
      progress: {
        opened: (_source, kind) => tell({ phase: 'reading', kind, read: 0 }),
        phase: (phase, read) => tell({ phase, read }),
        read: (read) => {
          if (clock.now() - toldAt >= TELL_EVERY_MS) tell({ phase: 'reading', read })
        },
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
  if (credentialId !== undefined && (typeof credentialId !== 'string' || !/^(0|[1-9]\d{0,18})$/.test(credentialId)))
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
