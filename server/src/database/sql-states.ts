// Error codes of PostgreSQL (appendix A) that several modules distinguish.

/** read_only_sql_transaction */
export const READ_ONLY = '25006'

/** lock_not_available: a lock was not granted within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03'
