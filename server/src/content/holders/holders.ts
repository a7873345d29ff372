import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { canonicalListedHolder } from '../../addresses/addresses.ts'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import type { DB } from '../../database/tables.ts'
import { ApiError, type FieldProblem, invalidField, invalidFields } from '../../errors.ts'
import { AS_WRITTEN } from '../../ingest/adjustments.ts'
import { importFile, type StoredFile } from '../../ingest/import-file.ts'
import type { Kind } from '../../ingest/kind.ts'
import { formerHolders, holders } from '../../ingest/kinds/holders.ts'
import { readCredentialTypes } from '../../ingest/kinds/holders.queries.ts'
import { describeProblem, ImportRefusedError, type Problem, Problems } from '../../ingest/problems.ts'
import { ImportFileError } from '../../ingest/source.ts'
import { UPLOAD_TIMEOUT } from '../../lifetimes.ts'
import type { Services } from '../../services.ts'
import { requireLiveSession, type SessionServices } from '../../sessions/with-account.ts'
import { requireSourceRight } from '../sources/source-rights.ts'
import { holderOperations, MAX_BODY, MAX_CONCURRENT, type Mode } from './holder-operations.ts'
import { selectHolders, selectNames } from './holders.queries.ts'

/** `/api/credentials/:id/holders`: the list of holders, which editors read and change. */
export function registerHolders(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, holderOperations.list, async ({ accountId, params: { id }, query }) => {
    await requireSourceRight(kysely, accountId, id.text, 'edit')
    const { first, after, search } = query
    const type = (await readCredentialTypes(kysely, [id.text])).get(id.text) ?? ''
    const beginning = beginningOf(type, search)
    const found = await selectHolders(kysely, id.text, { after, beginning, limit: first + 1 })
    const addresses = found.slice(0, first)
    const names = await selectNames(kysely, addresses)
    return {
      items: addresses.map((address) => ({ address, username: names.get(address) ?? null })),
      next: found.length > first ? (addresses.at(-1) ?? null) : null,
    }
  })

  const changing = new Set<string>()
  void scope.register(async (large) => {
    large.addHook('onRoute', (options) => {
      options.bodyLimit = MAX_BODY
      options.handlerTimeout = UPLOAD_TIMEOUT
    })
    route(large, services, holderOperations.change, async ({ services, accountId, params: { id }, body }) => {
      await requireSourceRight(kysely, accountId, id.text, 'edit')
      if (changing.has(accountId) || changing.size >= MAX_CONCURRENT) throw tooManyChanges()
      changing.add(accountId)
      try {
        return await (body.dryRun ? check : store)(services, id.text, body)
      } finally {
        changing.delete(accountId)
      }
    })
  })
}

interface Wanted {
  mode: Mode
  text: string
}

/** Counts what the lines would change. Lines that are refused do not hide the effect of the others. */
async function check({ database, clock }: Services, credentialId: string, { mode, text }: Wanted) {
  const problems = new Problems()
  let refused = 0
  let lines = 0
  const kind = await kindOf({ database }, credentialId, mode)
  const counting: Kind = {
    ...kind,
    encoder: () => {
      const encode = kind.encoder?.(problems)
      return (row) => {
        const encoded = encode?.(row)
        if (encoded === undefined) refused++
        return encoded
      }
    },
  }
  const progress = { opened() {}, phase() {}, read: (read: number) => void (lines = read) }
  const file = { ...fileOf(credentialId, mode, text), rules: counting, dryRun: true, progress }
  try {
    const counts = countsOf(await importFile({ database, clock }, '-', file), mode)
    return { ...counts, unchanged: counts.unchanged - refused, refused, problems: problems.first.map(shown) }
  } catch (error) {
    if (!(error instanceof ImportRefusedError)) throw naming(error)
    const all = [...error.problems, ...problems.first].toSorted((a, b) => a.line - b.line)
    const none = { lines, added: 0, removed: 0, unchanged: 0 }
    return { ...none, refused: refused + error.count, problems: all.slice(0, 100).map(shown) }
  }
}

async function store(services: SessionServices, credentialId: string, { mode, text }: Wanted) {
  const { database, clock, actor } = services
  const { accountId, network } = actor
  const beforeCommit = async (trx: Transaction<DB>, stored: StoredFile) => {
    await requireLiveSession(trx, actor)
    await requireSourceRight(trx, accountId, credentialId, 'edit')
    const { lines, added, removed } = countsOf(stored, mode)
    const counts = { read: String(lines), added: String(added), removed: String(removed) }
    const details = { kind: stored.kind, credential: credentialId, ...counts }
    await audit(services, { accountId, event: 'data.imported', network, details }, trx)
  }
  const rules = await kindOf(services, credentialId, mode)
  try {
    const file = { ...fileOf(credentialId, mode, text), rules, beforeCommit }
    return { ...countsOf(await importFile({ database, clock }, '-', file), mode), refused: 0, problems: [] }
  } catch (error) {
    throw naming(error)
  }
}

/** Only the type of this credential is known to the rules, so that lines with another credential are refused. */
async function kindOf({ database }: Pick<Services, 'database'>, credentialId: string, mode: Mode): Promise<Kind> {
  const types = await readCredentialTypes(database.kysely, [credentialId])
  return mode === 'remove' ? formerHolders(types, credentialId) : holders(types, credentialId)
}

const fileOf = (credentialId: string, mode: Mode, text: string) => ({
  name: 'holders',
  kind: 'holders' as const,
  credentialId,
  replace: mode === 'replace',
  // A string is one chunk of the stream, and none if it is empty.
  standardInput: Readable.from(text === '' ? [] : [Buffer.from(text)]),
  adjustments: { ...AS_WRITTEN, ignoreUnknown: true },
})

/** A removal reports the removed holders as changed lines. */
function countsOf({ read, added, changed, removed = 0 }: StoredFile, mode: Mode) {
  const gone = mode === 'remove' ? changed : removed
  return { lines: read, added, removed: gone, unchanged: read - added - (mode === 'remove' ? changed : 0) }
}

const shown = ({ line, field, reason, fault }: Problem) => ({
  line,
  ...(field !== undefined && { field }),
  reason,
  ...(fault && { fault }),
})

/** The beginning of addresses in canonical form. Base58 has upper and lower case. */
function beginningOf(type: string, search: string): string {
  const bare = search.replace(/^@/, '')
  return canonicalListedHolder(type, search) ?? (type === 'SOLANA_ADDRESS' ? bare : bare.toLowerCase())
}

/** The error of a refused text names its lines. */
function naming(error: unknown): unknown {
  if (error instanceof ImportFileError) return invalidField('text', error.message, error.fault)
  if (!(error instanceof ImportRefusedError)) return error
  const [first, ...more] = error.problems.map((problem): FieldProblem => ({
    field: 'text',
    message: describeProblem(problem),
    ...(problem.fault && { fault: problem.fault }),
  }))
  return first ? invalidFields([first, ...more]) : error
}

const tooManyChanges = () =>
  new ApiError(429, 'too_many_requests', 'Lists are being changed; repeat the request after a moment', {
    headers: { 'retry-after': '5' },
  })
