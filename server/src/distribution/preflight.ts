import type { ClientBase } from 'pg'
import { readCluster } from './cluster.queries.ts'
import { DistributionError, type readPlan } from './distribute.ts'
import { claimDistribution, readOthers, releaseDistribution } from './processes.queries.ts'

const manual = 'docs/scale.md, "A distributed engine", says how.'
const OLDEST_CITUS = 12

type PlanHere = Awaited<ReturnType<typeof readPlan>>

interface Wanted {
  /** The coordinator is to hold all rows, when there are no workers. */
  singleNode: boolean
}

/**
 * Looks at everything that a plan needs, before anything is changed.
 * @throws DistributionError when the plan cannot be carried out here
 */
export async function requireDistributable(client: ClientBase, plan: PlanHere, wanted: Wanted): Promise<void> {
  const reason = await whyNotHere(client, plan, wanted)
  if (reason !== undefined) throw new DistributionError(`Nothing was changed: ${reason} ${manual}`)
}

/** Why a plan cannot be carried out here, and what to do, in sentences; undefined when it can be. */
export async function whyNotHere(
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
  if (cluster.version < OLDEST_CITUS)
    return [`Citus ${cluster.version} is too old; ${OLDEST_CITUS} or later is needed, and ALTER EXTENSION citus UPDATE`]
  if (!cluster.isCoordinator) return ['DATABASE_URL leads to a worker; the coordinator is needed']
  const problems: string[] = []
  if (!cluster.knowsCoordinator)
    problems.push('the coordinator is not among the nodes: SELECT citus_set_coordinator_host(its name, its port)')
  if (cluster.workers === 0 && !singleNode)
    problems.push(
      'no active worker takes rows: SELECT citus_add_node(its name, its port), or say --single-node when the coordinator is to hold all rows',
    )
  if (cluster.workers === 0 && singleNode && cluster.knowsCoordinator && !cluster.coordinatorTakesRows)
    problems.push(
      "the coordinator takes no rows: SELECT citus_set_node_property(its name, its port, 'shouldhaveshards', true)",
    )
  return problems
}

/** @throws DistributionError that names them, when other processes of Questboard are connected */
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

/**
 * Does work that no two may do at once.
 * @throws DistributionError when somebody else does it
 */
export async function alone<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  if (!(await claimDistribution(client)))
    throw new DistributionError('Nothing was changed: another run of questboard database distribute is under way.')
  try {
    return await work()
  } finally {
    await releaseDistribution(client).catch(() => {}) // it ends with the connection, if that was lost
  }
}
