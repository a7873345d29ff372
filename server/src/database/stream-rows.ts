import type { Database } from './connection.ts'

const FETCH = 4_096

/**
 * Streams the rows of a query in one snapshot, on a dedicated connection. The next rows are fetched while the caller works
 * on the last ones. The query has no parameters.
 */
export async function* streamRows<Row extends unknown[]>(
  database: Pick<Database, 'pool'>,
  query: string,
): AsyncGenerator<Row[]> {
  const client = await database.pool.connect()
  const fetch = async () => {
    const text = `FETCH ${FETCH} FROM streamed`
    return (await client.query<Row>({ text, rowMode: 'array' })).rows
  }
  let next: Promise<Row[]> | undefined
  let fault: Error | undefined
  try {
    await client.query('BEGIN READ ONLY')
    await client.query(`DECLARE streamed NO SCROLL CURSOR FOR ${query}`)
    next = fetch()
    for (;;) {
      const rows = await next
      if (rows.length === 0) break
      next = fetch()
      // A failure is reported at the next read of rows.
      next.catch(() => {})
      yield rows
    }
  } catch (error) {
    fault = error as Error
    throw error
  } finally {
    await next?.catch(() => {})
    await client.query('ROLLBACK').catch((error: unknown) => (fault = error as Error))
    client.release(fault)
  }
}
