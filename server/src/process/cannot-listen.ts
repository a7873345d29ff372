import { SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/connection.ts'
import { listSigningKeys } from '../oauth/signing-key.queries.ts'

const PATIENCE = 2 * SECOND
const SET_HOST = "Set it to one of this machine's own addresses, or to 0.0.0.0 for all of them."

/** The service cannot listen where it is told to; the message says why, and what to do about it. */
export class CannotListenError extends Error {
  override name = 'CannotListenError'
}

/**
 * What to say when the service cannot listen. A port that is taken is taken by this installation itself when what
 * answers there shows a signing key of its database.
 * @returns the error to fail with; one that tells of something else stays as it is
 */
export async function cannotListen(
  error: unknown,
  { config, database }: { config: Config; database: Database },
): Promise<unknown> {
  const { code, message, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string }
  const because = (why: string) => new CannotListenError(why, { cause: error })
  if (code === 'EADDRINUSE') return because(await whyTaken(config, database))
  if (code === 'EACCES' && syscall === 'listen')
    return because(`this user may not listen on port ${config.port}. Set PORT to 1024 or more.`)
  if (code === 'EADDRNOTAVAIL')
    return because(`this machine does not have the address that HOST names (${message}). ${SET_HOST}`)
  if (syscall === 'getaddrinfo' && hostname === config.host)
    return because(`no address is known for the name in HOST (${message}). ${SET_HOST}`)
  return error
}

async function whyTaken({ host, port, publicUrl }: Config, database: Database): Promise<string> {
  const address = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const shown = await shownKeys(`http://${address}:${port}/oauth/jwks`)
  // What was met first is told when this cannot be found out.
  const own = await listSigningKeys(database).catch(() => [])
  if (!own.some(({ keyId }) => shown.includes(keyId)))
    return `port ${port} is in use by another program. Set PORT to a free one.`
  return (
    `it already runs here, at ${publicUrl ?? `http://localhost:${port}`}, with the same data. ` +
    'Stop it there (Ctrl-C in its terminal); a second one beside it needs another PORT.'
  )
}

/** Ids of the keys that whatever answers there shows; none when it is no service of this kind. */
async function shownKeys(url: string): Promise<unknown[]> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), redirect: 'error' })
    const { keys } = (await answer.json()) as { keys?: unknown }
    return Array.isArray(keys) ? keys.map((key: { kid?: unknown } | null) => key?.kid) : []
  } catch {
    return []
  }
}
