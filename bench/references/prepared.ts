import { Pool, type PoolConfig } from 'pg'
import { type Entry, loyaltyPage, PAGE, type PlaceInBoard } from './loyalty-page.ts'

/** What a reference is started with: the texts of the statements come from the service's source. */
export interface ReferenceOptions {
  connection: PoolConfig
  statements: Record<'page' | 'holds', { name: string; text: string }>
}

/** Connections of a reference to PostgreSQL, as many as the service has. */
export const POOL = 8

export function optionsOfProcess(): ReferenceOptions {
  return JSON.parse(process.argv[2] ?? '{}') as ReferenceOptions
}

/** The two questions of S2 and S3 asked with named prepared statements on pg's own pool. */
export function prepared({ connection, statements }: ReferenceOptions) {
  const pool = new Pool({ ...connection, max: POOL })
  return {
    async page(behind: PlaceInBoard) {
      const { spaceId, version, points, address } = behind
      const values = [spaceId, 0, version, points, address, PAGE + 1]
      const { rows } = await pool.query<Entry | { address: null }>({ ...statements.page, values })
      return loyaltyPage(rows, behind)
    },
    async holds(credentialId: string, address: string): Promise<boolean> {
      const values = [credentialId, address, address]
      const { rows } = await pool.query<{ version: string }>({ ...statements.holds, values })
      return rows[0]?.version === 'itself'
    },
  }
}
