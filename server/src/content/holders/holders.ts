import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Transaction } from 'kysely'
import { canonicalListedHolder } from '../../addresses/addresses.ts'
import { route } from '../../api/route.ts'
import { audit } from '../../audit/audit.ts'
import type { DB } from '../../database/tables.ts'
import { type FieldProblem, invalidField, invalidFields } from '../../errors.ts'
import { AS_WRITTEN } from '../../ingest/adjustments.ts'
import { isEmpty } from '../../ingest/check.ts'
import { bigId } from '../../ingest/fields.ts'
import { importFile, type StoredFile } from '../../ingest/import-file.ts'
import type { Kind } from '../../ingest/kind.ts'
import { formerHolders, holders } from '../../ingest/kinds/holders.ts'
import { readCredentialTypes } from '../../ingest/kinds/holders.queries.ts'
import { describeProblem, ImportRefusedError, type Problem, Problems, quoteValue } from '../../ingest/problems.ts'
import { ImportFileError } from '../../ingest/source.ts'
import { namesOf } from '../../ranking/boards.queries.ts'
import type { Services } from '../../services.ts'
import { requireLiveSession, type SessionServices } from '../../sessions/with-account.ts'
import { requireStoredCredentialRight } from '../credentials/credential-rights.ts'
import { fault } from '../../texts/faults.ts'
import { holderDescriptions, MAX_LINES, type Mode } from './holder-route-descriptions.ts'
import { selectHolders } from './holders.queries.ts'

/** `/api/credentials/:id/holders`: the list of holders, which editors read and change. */
export function registerHolders(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database

  route(scope, services, holderDescriptions.list, async ({ params: { id }, query }) => {
    const { first, after, search } = query
    const type = (await readCredentialTypes(kysely, [id.text])).get(id.text) ?? ''
    const beginning = beginningOf(type, search)
    const found = await selectHolders(kysely, id.text, { after, beginning, limit: first + 1 })
    const addresses = found.slice(0, first)
    const names = await namesOf(kysely, addresses)
    return {
      items: addresses.map((address) => ({ address, username: names.get(address)?.username || null })),
      next: found.length > first ? (addresses.at(-1) ?? null) : null,
    }
  })

  route(scope, services, holderDescriptions.change, async ({ services, params: { id }, body, deadline }) => {
    requireFewLines(body.text)
    return (body.dryRun ? check : store)(services, id.text, body, deadline)
  })
}

/** @throws ApiError if the text has too many lines */
function requireFewLines(text: string): void {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++
  if (lines > MAX_LINES)
    throw invalidField(
      'text',
      `has ${lines} lines; allowed: at most ${MAX_LINES}`,
      fault('too_many', { max: MAX_LINES }),
    )
}

interface Wanted {
  mode: Mode
  text: string
}

/** Counts the effects of the valid lines, and reports the refused ones. */
async function check({ database, clock }: Services, credentialId: string, { mode, text }: Wanted, signal: AbortSignal) {
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
    const counts = countsOf(await importFile({ database, clock, signal }, '-', file), mode)
    return { ...counts, unchanged: counts.unchanged - refused, refused, problems: problems.first.map(shown) }
  } catch (error) {
    if (!(error instanceof ImportRefusedError)) throw naming(error)
    const all = [...error.problems, ...problems.first].toSorted((a, b) => a.line - b.line)
    const none = { lines, added: 0, removed: 0, unchanged: 0 }
    return { ...none, refused: refused + error.count, problems: all.slice(0, 100).map(shown) }
  }
}

async function store(services: SessionServices, credentialId: string, { mode, text }: Wanted, signal: AbortSignal) {
  const { database, clock, actor } = services
  const { accountId, network } = actor
  const beforeCommit = async (trx: Transaction<DB>, stored: StoredFile) => {
    await requireLiveSession(trx, actor)
    await requireStoredCredentialRight(trx, accountId, credentialId, 'edit')
    const { lines, added, removed } = countsOf(stored, mode)
    const counts = { read: String(lines), added: String(added), removed: String(removed) }
    const details = { kind: stored.kind, credential: credentialId, ...counts }
    await audit(services, { accountId, event: 'data.imported', network, details }, trx)
  }
  const rules = await kindOf(services, credentialId, mode)
  try {
    const file = { ...fileOf(credentialId, mode, text), rules, beforeCommit }
    return { ...countsOf(await importFile({ database, clock, signal }, '-', file), mode), refused: 0, problems: [] }
  } catch (error) {
    throw naming(error)
  }
}

/** The rules of the import. A line must not name another credential. */
async function kindOf({ database }: Pick<Services, 'database'>, credentialId: string, mode: Mode): Promise<Kind> {
  const types = await readCredentialTypes(database.kysely, [credentialId])
  const kind = mode === 'remove' ? formerHolders(types, credentialId) : holders(types, credentialId)
  const ids = bigId('credential_id')
  return {
    ...kind,
    encoder: (problems) => {
      const encode = kind.encoder?.(problems)
      return (row) => {
        const [id] = row.values
        if (isEmpty(id) || ids.read(id) === credentialId) return encode?.(row)
        const reason = `${quoteValue(id)} is not the credential of this list; allowed: ${credentialId}, or no value`
        const { line } = row
        problems.add({ line, field: 'credentialId', reason, fault: fault('not_one_of', { allowed: [credentialId] }) })
        return undefined
      }
    },
  }
}

const fileOf = (credentialId: string, mode: Mode, text: string) => ({
  name: 'holders',
  kind: 'holders' as const,
  credentialId,
  replace: mode === 'replace',
  standardInput: Readable.from(piecesOf(text), { highWaterMark: 1 }),
  adjustments: { ...AS_WRITTEN, ignoreUnknown: true },
})

/** The size of the pieces of a text, in bytes. The lines of a piece are checked in one turn of the event loop. */
const PIECE = 4096

/** Pieces of a text. Other requests run after each piece, because the check of a large text takes seconds. */
async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += PIECE) {
    yield bytes.subarray(start, start + PIECE)
    await setImmediate()
  }
}

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

/** The beginning of addresses in canonical form. Only Base58 distinguishes upper and lower case. */
function beginningOf(type: string, search: string): string {
  const bare = search.replace(/^@/, '')
  return canonicalListedHolder(type, search) ?? (type === 'SOLANA_ADDRESS' ? bare : bare.toLowerCase())
}

/** Converts the problems of a refused text to errors of the field `text`, which name the lines. */
function naming(error: unknown): unknown {
  if (error instanceof ImportFileError) return invalidField('text', `cannot be read: ${reasonOf(error)}`, error.fault)
  if (!(error instanceof ImportRefusedError)) return error
  const [first, ...more] = error.problems.map((problem): FieldProblem => ({
    field: 'text',
    message: describeProblem(problem),
    ...(problem.fault && { fault: problem.fault }),
  }))
  return first ? invalidFields([first, ...more]) : error
}

/** The message without the options of `questboard import`, which it recommends. */
function reasonOf({ message, fault }: ImportFileError): string {
  const columns = fault?.code === 'unknown_columns' ? fault.parameters.columns : undefined
  return columns === undefined
    ? message
    : `The first line has no column "address": ${quoteValue(columns)}. Add it; other columns are ignored.`
}
