import { startCitusNodes } from './citus-nodes.ts'
import { CLUSTER_NODES } from './global-setup.ts'

/** Why the tests on a cluster are left out; empty if they run. */
export const LEFT_OUT = 'TEST_CLUSTER_LEFT_OUT'

/**
 * Rooms whose tests also run on a cluster. Those of `graphql`, `http` and most of `spec`, such as the stock clients and the
 * commands of the manual, passed there too, but use the same statements. CONTRIBUTING.md says how to run others there.
 */
const ROOMS = [
  'access',
  'accounts',
  'audit',
  'bans',
  'claims',
  'content',
  'dashboard',
  'demo',
  'distribution',
  'identity',
  'ingest',
  'ingest-api',
  'ingest-uploads',
  'jobs',
  'ledger',
  'live',
  'mcp',
  'mirror',
  'oauth',
  'objects',
  'people',
  'personal-data',
  'programme',
  'public-pages',
  'ranking',
  'resolvers',
  'rules',
  'schedule',
  'search',
  'snapshots',
  'sync',
  'teams',
  'verify',
  'webhooks',
]
const SUITES = [
  'server/test/doctor/statements.test.ts',
  'server/test/doctor/nodes.test.ts',
  'server/test/spec/faults/{killed,hanging}-nodes.test.ts',
  'server/test/spec/paging/*.test.ts',
  'server/test/api/route/recent-sign-in.test.ts',
  'server/test/command/keys.test.ts',
  'server/test/http/publishable.test.ts',
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
    return [...SUITES, `server/test/{${ROOMS.join(',')}}/**/*.test.ts`, `server/test/{${ROOMS.join(',')}}.test.ts`]
  } catch (error) {
    process.env[LEFT_OUT] = `the cluster did not start: ${String(error).split('\n')[0]}`
    return []
  }
}
