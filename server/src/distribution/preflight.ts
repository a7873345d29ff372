import type { ClientBase } from 'pg'
import { readCluster } from './cluster.queries.ts'
import { DistributionError, type PlanHere } from './distribute.ts'
import { claimDistribution, readOthers, releaseDistribution } from './processes.queries.ts'

const manual = 'See "A distributed engine" in docs/scale.md.'
const MIN_CITUS_VERSION = 12

interface Wanted {
  /** Let the coordinator hold all rows if the cluster has no workers. */
  singleNode: boolean
}

/**
 * Checks all requirements of a plan.
 * @throws DistributionError if the plan cannot be carried out
 */
export async function requireDistributable(client: ClientBase, plan: PlanHere, wanted: Wanted): Promise<void> {
  const reason = await obstacleTo(client, plan, wanted)
  if (reason !== undefined) throw new DistributionError(`Nothing was changed: ${reason} ${manual}`)
}

/** Explains why a plan cannot be carried out, and what to do; undefined if it can be. */
export async function obstacleTo(
  client: ClientBase,
  { extension, problems }: PlanHere,
  { singleNode }: Wanted,
): Promise<string | undefined> {
  if (extension === 'missing')
    return 'this PostgreSQL has no Citus. Install the package of Citus for its version on every node, add citus to shared_preload_libraries, restart, and CREATE EXTENSION citus in this database.'
  if (extension === 'installed')
    return 'Citus is installed, but not in this database: CREATE EXTENSION citus here and on every worker.'
  const found = [...problems, ...(await problemsOfCluster(client, singleNode))]
  return found.length === 0 ? undefined : `${found.join('; ')}.`
}

async function problemsOfCluster(client: ClientBase, singleNode: boolean): Promise<string[]> {
  const cluster = await readCluster(client)
  if (cluster.version < MIN_CITUS_VERSION)
    return [
      `Citus ${cluster.version} is too old; ${MIN_CITUS_VERSION} or later is required: update it, then ALTER EXTENSION citus UPDATE`,
    ]
  if (!cluster.isCoordinator) return ['DATABASE_URL names a worker; it must name the coordinator']
  const problems: string[] = []
  if (!cluster.knowsCoordinator)
    problems.push('the coordinator is not among the nodes: SELECT citus_set_coordinator_host(its name, its port)')
  if (cluster.workers === 0 && !singleNode)
    problems.push(
      'no active worker accepts rows: SELECT citus_add_node(its name, its port), or use --single-node to let the coordinator hold all rows',
    )
  if (cluster.workers === 0 && singleNode && cluster.knowsCoordinator && !cluster.coordinatorTakesRows)
    problems.push(
      "the coordinator does not accept rows: SELECT citus_set_node_property(its name, its port, 'shouldhaveshards', true)",
    )
  return problems
}

/** @throws DistributionError if other Questboard processes are connected; the message lists them */
export async function requireStopped(client: ClientBase): Promise<void> {
  const others = await readOthers(client)
  if (others.length === 0) return
  const names = others.map(
    ({ name, address, connections }) => `${name} (${connections} from ${address ?? 'this machine'})`,
  )
  throw new DistributionError(
    `Nothing was changed: other processes of Questboard use this database. Stop the service and every other command first. Their connections are ${names.join(', ')}.`,
  )
}

/** Runs work under an exclusive lock. @throws DistributionError if another process holds it */
export async function withDistributionLock<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  if (!(await claimDistribution(client)))
    throw new DistributionError('Nothing was changed: another `questboard database distribute` is running.')
  try {
    return await work()
  } finally {
    await releaseDistribution(client).catch(() => {}) // the lock ends with the connection anyway
  }
}
