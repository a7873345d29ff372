import { Client, type ClientConfig } from 'pg'

/** Runs work on one connection, with a limit of each of its steps. */
export async function withClient<Result>(
  connection: ClientConfig,
  timeout: number,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ ...connection, connectionTimeoutMillis: timeout, query_timeout: timeout })
  client.on('error', () => {}) // the failing statement reports it
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {}) // it may never have connected
  }
}
