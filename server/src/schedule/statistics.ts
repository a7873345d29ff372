import { SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { openOtherNodes, type OtherNodesOptions } from '../distribution/other-nodes.ts'
import type { Job } from '../jobs/jobs.ts'
import { interruptible } from './interruptible.queries.ts'
import { analyzeGrownTables } from './statistics.queries.ts'

export interface StatisticsDependencies extends OtherNodesOptions {
  database: Pick<Database, 'kysely' | 'pool' | 'connection'>
}

const POLL = SECOND

/** Analyzes tables that have grown. On a cluster, each node analyzes its shards. */
export function statisticsJob(deps: StatisticsDependencies): Job {
  const { database, log } = deps
  const nodes = openOtherNodes(deps)
  return {
    name: 'statistics',
    async run({ signal }) {
      const analyzeAt = async ({ name, kysely }: { name?: string; kysely: typeof database.kysely }) => {
        const tables = await interruptible(kysely, signal, (own) => analyzeGrownTables(own))
        if (tables && tables.length > 0) log.debug({ node: name, tables }, 'tables have grown and are analyzed')
      }
      const atNodes = (await nodes.list()).map((node) =>
        analyzeAt(node).catch((error: unknown) => {
          if (!signal.aborted) log.debug({ node: node.name, err: error }, 'the tables of a node were not analyzed')
        }),
      )
      await Promise.all([analyzeAt(database), ...atNodes])
      return POLL
    },
    stop: () => nodes.close(),
  }
}
