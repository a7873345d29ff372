import { isUnreachable } from './connection.ts'

/** The database cannot be used. The message has the reason and advice. */
export class UnusableDatabaseError extends Error {
  override name = 'UnusableDatabaseError'
}

/** SQL states, by the condition names in appendix A of the PostgreSQL manual. */
const remedyNames = {
  '3D000': 'missing-database',
  '28000': 'missing-role',
  '28P01': 'password',
  '25006': 'read-only',
  '53100': 'disk-full',
  '42501': 'may-not-create',
} as const

/** The driver's own failures have no code. */
const remedyNamesByMessage = [
  [/password must be a (non-empty )?string/, 'no-password'],
  [/server does not support SSL/, 'no-tls'],
  [/self-signed certificate|unable to (get|verify)/, 'certificate'],
] as const

const remedies = {
  'missing-database': 'Create it first, for example with createdb, or correct DATABASE_URL.',
  'missing-role': 'Create the role first, or correct DATABASE_URL or pg_hba.conf.',
  password: 'Correct the user or the password in DATABASE_URL.',
  'read-only': 'Wait until it accepts writes again, or set DATABASE_URL to the primary.',
  'disk-full': 'Free space on the disk of the database.',
  'may-not-create': 'GRANT CREATE ON SCHEMA public TO the user of DATABASE_URL.',
  'no-password': 'The server requires a password: add it to DATABASE_URL, user:password@host.',
  'no-tls': 'Remove sslmode from DATABASE_URL, or turn on ssl at the server.',
  certificate: 'Name its CA in DATABASE_URL: sslrootcert=FILE; sslmode=no-verify trusts any.',
}

/** The name of the remedy for a database that exists but refuses connections. */
export function remedyNameOf(error: unknown): keyof typeof remedies | undefined {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const byCode = Object.hasOwn(remedyNames, code) ? remedyNames[code as keyof typeof remedyNames] : undefined
  return byCode ?? remedyNamesByMessage.find(([pattern]) => pattern.test(message))?.[1]
}

export function remedyOf(error: unknown): string | undefined {
  const name = remedyNameOf(error)
  return name && remedies[name]
}

const ofNetwork = new Set(['connect', 'getaddrinfo', 'read'])

/**
 * The reason why no statement reaches the database, in one sentence; undefined for any other failure.
 * @param embedded whether the database is the one in the data folder
 */
export function explainUnusableDatabase(error: unknown, embedded = false): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', syscall } = error as { code?: string; syscall?: string }
  const says = messageOf(error)
  const remedy = remedyOf(error)
  // For a table it is something else: a defect, or a database of another application.
  if (code === '42501' && !says.includes('schema')) return undefined
  if (remedy !== undefined) return `the database cannot be used (${says}). ${remedy}`
  // The machine's errors are also those of files and pipes.
  const isNetwork = syscall === undefined || ofNetwork.has(syscall)
  if (!isNetwork || !(isUnreachable(error) || /CERT|SSL|TLS/.test(code)) || /^(531|57014)/.test(code)) return undefined
  return `the database cannot be reached (${says}). ${embedded ? 'See postgres.log in QUESTBOARD_DATA_DIR.' : 'Check DATABASE_URL.'}`
}

/** The reason why the data folder is not writable, in one sentence; undefined for any other failure. */
export function explainUnwritableFolder(error: Error): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return `the disk of QUESTBOARD_DATA_DIR is full (${error.message}). Free space on it.`
  if (!/^(EACCES|EEXIST|EROFS|ENOTDIR)$/.test(code)) return undefined
  return `QUESTBOARD_DATA_DIR cannot be used (${error.message}). Set it to a folder that this user may write.`
}

/** Converts an error for the caller that opens the database; a defect remains unchanged. */
export function asUnusable(error: unknown, embedded: boolean): unknown {
  const why = explainUnusableDatabase(error, embedded)
  if (why !== undefined) return new UnusableDatabaseError(why, { cause: error })
  if (!(error instanceof Error)) return error
  const ofFolder = embedded ? explainUnwritableFolder(error) : undefined
  if (ofFolder !== undefined) return new UnusableDatabaseError(ofFolder, { cause: error })
  // Written for the operator: the folder, the start or the migrations.
  const isOwn = error.constructor === Error && (error as { code?: string }).code === undefined
  return isOwn ? new UnusableDatabaseError(error.message, { cause: error }) : error
}

/** A host name with several addresses fails with one error for each, and an empty message. */
export function messageOf(error: Error): string {
  const each = error instanceof AggregateError ? error.errors.map((one: unknown) => (one as Error).message) : []
  return [error.message, ...each].find((text) => text !== '') ?? error.name
}
