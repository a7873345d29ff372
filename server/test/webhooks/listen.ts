import { randomUUID } from 'node:crypto'
import type { TestDatabase } from '../support/database.ts'

export interface Listening {
  subjects: string[]
  types: string[]
  accountId?: string
  minPoints?: number
  top?: number
  boards?: 'all' | 'overall' | 'sprints'
}

export interface Told {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

/** An endpoint whose messages stay in the outbox and are never sent. */
export async function listen(database: TestDatabase, wanted: Listening) {
  const endpointId = randomUUID()
  const accountId = wanted.accountId ?? randomUUID()
  const { subjects, types, minPoints = 1, top = 10, boards = 'all' } = wanted
  await database.query(`INSERT INTO accounts VALUES ($1, 'listener', now()) ON CONFLICT DO NOTHING`, [accountId])
  await database.query(
    `INSERT INTO webhook_endpoints (endpoint_id, account_id, url, description, event_types, subjects, min_points, top,
       boards, created_at) VALUES ($1, $2, 'https://hooks.example', '', $3, $4, $5, $6, $7, now())`,
    [endpointId, accountId, types, subjects, minPoints, top, boards],
  )
  await database.query(
    `INSERT INTO webhook_subscriptions SELECT subject, endpoint_id, account_id, event_types, min_points, top, boards
     FROM webhook_endpoints, unnest(subjects) AS subject WHERE endpoint_id = $1`,
    [endpointId],
  )
  return {
    endpointId,
    /** The messages since the last call. */
    heard: async (): Promise<Told[]> => {
      const rows = await database.query<{ payload: string }>(
        `WITH heard AS (DELETE FROM webhook_messages WHERE endpoint_id = $1 RETURNING event_type, payload)
         SELECT payload FROM heard ORDER BY event_type COLLATE "C", payload COLLATE "C"`,
        [endpointId],
      )
      return rows.map(({ payload }) => JSON.parse(payload) as Told)
    },
  }
}
