import type { ClientConfig } from 'pg'

/**
 * How to reach the database that a URL names. In the driver the URL wins over everything else, so what the service has to
 * say itself is taken out: names of connections, by which it finds those that are lost, and options, which it adds to.
 */
export function connectionOf(databaseUrl: string): ClientConfig {
  const url = new URL(databaseUrl)
  const options = url.searchParams.get('options')
  if (options === null && !url.searchParams.has('application_name')) return { connectionString: databaseUrl }
  url.searchParams.delete('application_name')
  url.searchParams.delete('options')
  return { connectionString: url.href, ...(options !== null && { options }) }
}
