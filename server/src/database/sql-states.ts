// Error codes of PostgreSQL (appendix A) that are told apart in several places.

/** read_only_sql_transaction */
export const READ_ONLY = '25006'

/** lock_not_available: nobody waits longer than `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03'
