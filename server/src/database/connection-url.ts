import type { ClientConfig } from 'pg'

/** The driver verifies certificates in these modes as in `verify-full`, but prints a warning of several lines. */
const VERIFYING_MODES = ['prefer', 'require', 'verify-ca']

/**
 * Converts a database URL to the configuration of the driver. Parameters of the URL override the configuration, so
 * the application name and the options, which the service sets, are removed from the URL.
 */
export function connectionOf(databaseUrl: string): ClientConfig {
  const url = new URL(databaseUrl)
  const { searchParams } = url
  const options = searchParams.get('options')
  searchParams.delete('application_name')
  searchParams.delete('options')
  const sslMode = searchParams.get('sslmode') ?? ''
  if (VERIFYING_MODES.includes(sslMode) && !searchParams.has('uselibpqcompat'))
    searchParams.set('sslmode', 'verify-full')
  const changed = url.href !== new URL(databaseUrl).href
  return { connectionString: changed ? url.href : databaseUrl, ...(options !== null && { options }) }
}
