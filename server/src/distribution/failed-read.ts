import { isUnreachable } from '../database/connection.ts'
import { ServiceError } from '../errors.ts'

/**
 * The cause of a failed read at a node. `node`: the node cannot be reached. `placement`: the shards are not there. Otherwise the
 * node executed the `statement`, which fails on the coordinator too: a second execution would double the load of a slow one.
 */
export type FailedRead = 'node' | 'placement' | 'statement'

/**
 * Division by zero: the check that the shard is still there. An undefined table: the node has removed the shard. A
 * missing privilege: the user of the node's URL may have fewer rights.
 */
const notThere = new Set(['22012', '42P01', '42501'])
/** A timeout, and exhausted resources other than connections: the connection lives on. */
const ofTheStatement = /^(57014|53(?!300).*|58030)$/

export function failedRead(error: unknown): FailedRead {
  // Of the connection; it has the reason as its cause.
  if (error instanceof ServiceError) return error.code === 'UNAVAILABLE' ? 'node' : 'statement'
  const code = String((error as { code?: unknown }).code)
  if (notThere.has(code)) return 'placement'
  return isUnreachable(error) && !ofTheStatement.test(code) ? 'node' : 'statement'
}
