import { BY_COMMAND, createBan, type InTransaction, liftBan } from '../../src/bans/bans.ts'
import type { Ban } from '../../src/bans/bans.queries.ts'
import type { TestService } from '../support/service.ts'

export const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

/** Bans by commands, and what boards show. */
export function bansFixture(service: Pick<TestService, 'deps' | 'database'>) {
  const { deps, database } = service
  const inTransaction: InTransaction = (work) => database.kysely.transaction().execute(work)

  return {
    ban: (
      of: { account: string } | { address: string },
      { spaceId = null, endsAt = null }: { spaceId?: number | null; endsAt?: string | null } = {},
    ): Promise<Ban> => createBan(deps, { ...of, spaceId, reason: 'Bots', endsAt }, BY_COMMAND, inTransaction),
    lift: (id: string): Promise<Ban> => liftBan(deps, id, BY_COMMAND, inTransaction),
    /** Forgets the changes, so that no later award handles them. */
    settle: () => database.query('DELETE FROM profile_changes'),
    board: async (spaceId: number, sprintId = 0): Promise<Record<string, number>> => {
      const rows = await database.query<{ address: string; points: number }>(
        `SELECT address, points FROM board_entries WHERE space_id = $1 AND sprint_id = $2
         ORDER BY points DESC, address`,
        [spaceId, sprintId],
      )
      return Object.fromEntries(rows.map((row) => [row.address, row.points]))
    },
  }
}
