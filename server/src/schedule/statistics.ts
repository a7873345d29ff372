import type { Kysely } from 'kysely'
import { SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Owners } from '../distribution/read-at-owners.ts'
import type { Job } from '../jobs/jobs.ts'
import type { Logger } from '../logging/log.ts'
import { interruptible } from './interruptible.queries.ts'
import { analyzeGrownTables } from './statistics.queries.ts'

export interface StatisticsDependencies {
  database: { kysely: Kysely<DB> }
  owners: Pick<Owners, 'others'>
  log: Logger
}

const POLL = SECOND

/** Analyzes tables that have grown. On a cluster, each node analyzes its shards. */
export function statisticsJob({ database, owners, log }: StatisticsDependencies): Job {
  return {
    name: 'statistics',
    async run({ signal }) {
      const analyzeAt = async ({ name, kysely }: { name?: string; kysely: Kysely<DB> }) => {
        const tables = await interruptible(kysely, signal, (own) => analyzeGrownTables(own))
        if (tables && tables.length > 0) log.debug({ node: name, tables }, 'tables have grown and are analyzed')
      }
      const atOthers = owners.others().map((node) =>
        analyzeAt(node).catch((error: unknown) => {
          if (!signal.aborted) log.debug({ node: node.name, err: error }, 'the tables of a node were not analyzed')
        }),
      )
      await Promise.all([analyzeAt(database), ...atOthers])
      return POLL
    },
  }
}
