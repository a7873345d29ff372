// Error codes of PostgreSQL (appendix A) that several modules distinguish.

/** read_only_sql_transaction */
export const READ_ONLY = '25006'

/** serialization_failure: a row was changed since the snapshot of a repeatable read transaction. */
export const SERIALIZATION_FAILURE = '40001'

/** lock_not_available: a lock was not granted within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03'

/** deadlock_detected: the transaction was chosen to be rolled back. */
export const DEADLOCK_DETECTED = '40P01'

/** unique_violation. A COPY or INSERT … SELECT through the coordinator of Citus reports XX000 with the same message. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  return code === '23505' || (code === 'XX000' && message.startsWith('duplicate key value violates unique constraint'))
}

/** The coordinator of Citus lost a node, or was stopped, during a transaction. It reports XX000, without a state of its own. */
export function isLostNode(error: unknown): boolean {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  return (
    code === 'XX000' &&
    /^(failure on connection marked as essential: |could not commit transaction for shard \d+ on at least one active node|postmaster was shut down, exiting)/.test(
      message,
    )
  )
}

/** disk_full */
export const DISK_FULL = '53100'
