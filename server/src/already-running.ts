import { SECOND } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/connection.ts'
import { listSigningKeys } from './oauth/signing-key.queries.ts'

const PATIENCE = 2 * SECOND

/** Another service of this installation answers at the port already. */
export class PortTakenError extends Error {
  override name = 'PortTakenError'
}

/**
 * What to say of a port that is taken. It is this installation's own when it shows a signing key of its database.
 * @returns the error to fail with: the one that was met, or one that says where the service runs
 */
export async function whyTaken(
  error: unknown,
  { config: { host, port, publicUrl }, database }: { config: Config; database: Database },
): Promise<unknown> {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error
  const address = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  const shown = await shownKeys(`http://${address}:${port}/oauth/jwks`)
  // What was met first is told when this cannot be found out.
  const own = await listSigningKeys(database).catch(() => [])
  if (!own.some(({ keyId }) => shown.includes(keyId))) return error
  return new PortTakenError(
    `it already runs here, at ${publicUrl ?? `http://localhost:${port}`}, with the same data. ` +
      'Stop it there (Ctrl-C in its terminal); a second one beside it needs another PORT.',
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
