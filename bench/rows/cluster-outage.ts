import { flakyNetwork } from '../../server/test/support/flaky-network.ts'
import { portsOf, preparedTransactions } from '../../server/test/support/nodes.ts'
import { openBenchDatabase, urlOf } from '../data/bench-database.ts'
import { type Fault, OUTAGE_MEASURES, OUTAGE_SECONDS, runOutages } from '../faults/outages.ts'
import type { Row } from '../harness/row.ts'
import { countLeftPrepared, startDurableNodes } from '../processes/citus.ts'
import { citusVersion } from '../processes/server-versions.ts'

const DATABASE = 'bench_t7c'
/** Two of them are used: one on each worker. */
const CANDIDATES = [1, 2, 3, 4, 5, 6, 7, 8]

export const row: Row = {
  name: 'T7c',
  title: 'a node of a Citus cluster gone for 30 s: killed, frozen, its network cut, its network swallowing everything',
  measures: [
    ...OUTAGE_MEASURES,
    { title: 'answers without data about spaces of other nodes while a worker is gone', bound: '<=', limit: 0 },
    { title: 'longest time without awards of such spaces, s', bound: '<=', limit: 6 },
    { title: 'prepared transactions that are left at the end', bound: '<=', limit: 0 },
  ],
  ownServer: citusVersion,
  async run({ quick, say }) {
    const cluster = await startDurableNodes()
    // The service reaches each node through its network, and so do the nodes each other.
    const networks = await Promise.all(cluster.nodes.map((node) => flakyNetwork(node, { tcp: true })))
    const nodes = networks.map(({ connection }) => connection)
    const database = await openBenchDatabase(nodes, DATABASE, true)
    try {
      const ports = await portsOf(database.pool, CANDIDATES)
      const [there, elsewhere] = [nodes[1], nodes[2]].map((node) =>
        CANDIDATES.find((spaceId) => ports.get(spaceId) === node?.port),
      )
      if (there === undefined || elsewhere === undefined) throw new Error('all spaces are on one worker')
      const faultsOf = (name: string, node: number): Fault[] => {
        const network = networks[node] as (typeof networks)[number]
        return [
          { name: `${name} killed`, begin: () => cluster.kill(node), end: () => cluster.start(node) },
          { name: `${name} frozen`, begin: () => cluster.freeze(node), end: () => cluster.thaw(node) },
          { name: `network of ${name} cut`, begin: () => network.cut(), end: () => network.mend() },
          { name: `network of ${name} silent`, begin: () => network.silence(), end: () => network.mend() },
        ]
      }
      const report = await runOutages({
        database,
        url: urlOf({ ...nodes[0], database: DATABASE }),
        spaces: [there, elsewhere],
        faults: [
          ...faultsOf('a worker', 1).map((fault) => ({ ...fault, unaffected: [elsewhere] })),
          ...faultsOf('the coordinator', 0),
        ],
        seconds: quick ? OUTAGE_SECONDS.quick : OUTAGE_SECONDS.full,
        say,
      })
      const left = await countLeftPrepared(() => preparedTransactions(cluster.nodes, DATABASE))
      return { ...report, values: [...report.values, report.elsewhere.refused, report.elsewhere.pause, left] }
    } finally {
      for (const node of cluster.nodes.keys()) await cluster.thaw(node).catch(() => {}) // it is not there
      await database.close()
      await Promise.all(networks.map((network) => network.close()))
      await cluster.stop()
    }
  },
}
