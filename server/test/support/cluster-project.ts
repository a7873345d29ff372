import { startCitusNodes } from './citus-nodes.ts'
import { CLUSTER_NODES } from './global-setup.ts'

/** Why the tests on a cluster are left out; empty if they run. */
export const LEFT_OUT = 'TEST_CLUSTER_LEFT_OUT'

/** Tests that also run on a cluster: statements of every kind. CONTRIBUTING.md says how to run all tests there. */
const SUITES = [
  'server/test/bans/boards.test.ts',
  'server/test/distribution/on-cluster.test.ts',
  'server/test/ingest/holders.test.ts',
  'server/test/ranking/boards.test.ts',
  'server/test/rules/referrals.test.ts',
  'server/test/rules/replay.test.ts',
  'server/test/rules/rules.test.ts',
  'server/test/rules/ticks.test.ts',
]

/** Starts a cluster if TEST_CITUS_BIN names the programs. Returns the tests to run there; none without a cluster. */
export async function testsOnCluster(): Promise<readonly string[]> {
  const bin = process.env.TEST_CITUS_BIN
  process.env[LEFT_OUT] = ''
  if (!bin) {
    process.env[LEFT_OUT] = process.env.TEST_CITUS_MISSING ?? 'TEST_CITUS_BIN does not name a PostgreSQL with Citus'
    return []
  }
  try {
    const { nodes } = await startCitusNodes({ bin })
    process.env[CLUSTER_NODES] = JSON.stringify(nodes)
    return SUITES
  } catch (error) {
    process.env[LEFT_OUT] = `the cluster did not start: ${String(error).split('\n')[0]}`
    return []
  }
}
