import { isUnavailable, isUnreachable } from '../database/connection.ts'
import { READ_ONLY } from '../database/sql-states.ts'
import { ServiceError } from '../errors.ts'

/**
 * The cause of a failed read at a node. `node`: the node cannot be reached. `placement`: the node does not have the shards.
 * `statement`: the node executed the statement, so it would fail on the coordinator, too, and a slow one would run twice.
 */
export type FailedRead = 'node' | 'placement' | 'statement'

/**
 * Division by zero: the check of onShards failed. An undefined table: the node has removed the shard. A missing privilege:
 * the user of the node's URL may have fewer rights.
 */
const notThere = new Set(['22012', '42P01', '42501'])
/** A timeout, and exhausted resources other than connections: the connection stays open. */
const ofTheStatement = /^(57014|53(?!300).*|58030)$/

export function failedRead(error: unknown): FailedRead {
  // The connection pool throws UNAVAILABLE if it cannot reach the node.
  if (error instanceof ServiceError) return error.code === 'UNAVAILABLE' ? 'node' : 'statement'
  const code = String((error as { code?: unknown }).code)
  if (notThere.has(code)) return 'placement'
  return isUnreachable(error) && !ofTheStatement.test(code) ? 'node' : 'statement'
}

// The user of the node's URL may only read, or may not log in; the node may have no connection left.
const refusals = new Set([READ_ONLY, '28000', '28P01', '3D000', '53300'])

/** Whether a node refused a transaction for a reason of its own. The coordinator may be able to execute it. */
export const isRefusal = (error: unknown): boolean =>
  refusals.has(String((error as { code?: unknown }).code)) || !isUnavailable(error)

const silenceErrnos = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'])

/**
 * Whether a node gave no response at all. Other servers that wait for it may then wait, too. A node that refuses a
 * connection, or ends it, refuses theirs as well.
 */
export function isSilence(error: unknown): boolean {
  const { code, message, cause } = error as { code?: string; message?: unknown; cause?: unknown }
  // The lifeline reports each failure as a timeout; the cause is what happened.
  if (cause !== undefined || error instanceof ServiceError) return cause !== undefined && isSilence(cause)
  // Errors of the server, which have a code, can also mention a timeout.
  return code === undefined ? /timeout/.test(String(message)) : silenceErrnos.has(code)
}
