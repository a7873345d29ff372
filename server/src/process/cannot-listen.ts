import { SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { newDatabaseNotice } from '../database/data-folder.ts'
import { findAddress } from '../http/listeners.ts'
import { listSigningKeys } from '../oauth/signing-key.queries.ts'

const RESPONSE_TIMEOUT = 2 * SECOND
const SET_HOST = "Set it to one of this machine's own addresses, or to 0.0.0.0 for all of them."

/** The service cannot listen on its port; the message has the reason and advice. */
class CannotListenError extends Error {
  override name = 'CannotListenError'
}

/**
 * Checks that the service can listen. If another Questboard uses the port, the signing keys of the database show whether
 * it is the same installation. So the check without `database`, before the database is opened, then passes, unless the
 * service would create a new embedded database, which has no keys.
 */
export async function requireFreePort(config: Config, database?: Database): Promise<void> {
  try {
    await findAddress(config)
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    const decidable = database !== undefined || newDatabaseNotice(config) !== undefined
    if (!taken || decidable || (await shownKeys(config)).length === 0)
      throw await cannotListen(error, { config, database })
  }
}

/**
 * Explains why the service cannot listen. If the port is in use by a service that publishes a signing key of this
 * database, it is the same installation.
 * @returns the error to throw; other errors are returned unchanged
 */
export async function cannotListen(
  error: unknown,
  { config, database }: { config: Config; database?: Database | undefined },
): Promise<unknown> {
  const { code, message, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string }
  const listenError = (why: string) => new CannotListenError(why, { cause: error })
  if (code === 'EADDRINUSE') return listenError(await explainUsedPort(config, database))
  if (code === 'EACCES' && (syscall === 'bind' || syscall === 'listen'))
    return listenError(`this user may not listen on port ${config.port}. Set PORT to 1024 or more.`)
  if (code === 'EADDRNOTAVAIL')
    return listenError(`this machine does not have the address in HOST (${message}). ${SET_HOST}`)
  if (syscall === 'getaddrinfo' && hostname === config.host)
    return listenError(`the name in HOST cannot be resolved (${message}). ${SET_HOST}`)
  return error
}

async function explainUsedPort(config: Config, database: Database | undefined): Promise<string> {
  const { port, publicUrl } = config
  const shown = await shownKeys(config)
  // If the database cannot be read, report the original problem.
  const own = database === undefined ? [] : await listSigningKeys(database).catch(() => [])
  if (!own.some(({ keyId }) => shown.includes(keyId)))
    return `port ${port} is in use by another program. Set PORT to a free one.`
  return (
    `it is already running at ${publicUrl ?? `http://localhost:${port}`} with the same data. ` +
    'Stop it (Ctrl-C in its terminal), or set another PORT for a second process.'
  )
}

/** The key ids that a service at this port publishes; empty for other programs. */
async function shownKeys({ host, port }: Config): Promise<unknown[]> {
  const address = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  try {
    const answer = await fetch(`http://${address}:${port}/oauth/jwks`, {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT),
      redirect: 'error',
    })
    const { keys } = (await answer.json()) as { keys?: unknown }
    return Array.isArray(keys) ? keys.map((key: { kid?: unknown } | null) => key?.kid) : []
  } catch {
    return []
  }
}
