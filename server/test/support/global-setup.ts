import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { distribute, readPlan } from '../../src/distribution/distribute.ts'
import { closeForCopies, createOnEveryNode, dropAll, withClient, workersOf } from './nodes.ts'
import { packedClient } from './packed-client.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ClientConfig
    /** `postgres`; on a cluster, the coordinator and then its workers. */
    nodes: readonly ClientConfig[]
    /** The name of the database that tests copy. */
    template: string
  }
}

/**
 * One real PostgreSQL for all test files, with a migrated template database: an embedded server, or the one of
 * TEST_DATABASE_URL. If that is the coordinator of a Citus cluster, the tables of the template are distributed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { nodes, stop } = await startPostgres(project)
  // Several runs may use one server.
  const template = `questboard_template_${randomBytes(4).toString('hex')}`
  await makeTemplate(nodes, template)
  project.provide('postgres', nodes[0] as ClientConfig)
  project.provide('nodes', nodes)
  project.provide('template', template)
  return async () => {
    await rm(packedClient(template), { recursive: true, force: true })
    await dropAll(nodes, template)
    await stop()
  }
}

async function makeTemplate(nodes: readonly ClientConfig[], name: string): Promise<void> {
  await createOnEveryNode(nodes, name)
  await withClient({ ...nodes[0], database: name }, async (client) => {
    await migrate(client)
    if (nodes.length > 1) await distribute(client, await readPlan(client), () => {})
  })
  // A connection writes the file from which others read the catalogue; the copies have it, too.
  for (const node of nodes) await withClient({ ...node, database: name }, (client) => client.query('SELECT 1'))
  await closeForCopies(nodes, name)
}

/** The nodes of the cluster that vitest.config.ts has started. */
export const CLUSTER_NODES = 'TEST_CLUSTER_NODES'

async function startPostgres(
  project: TestProject,
): Promise<{ nodes: readonly ClientConfig[]; stop: () => Promise<void> }> {
  if (project.name === 'cluster')
    return { nodes: JSON.parse(process.env[CLUSTER_NODES] ?? '') as ClientConfig[], stop: async () => {} }
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    const { hostname, port, username, password, pathname } = new URL(url)
    const host = hostname === '' ? {} : { host: decodeURIComponent(hostname) }
    const server = { ...host, port: Number(port || 5432), user: username, password }
    return { nodes: [server, ...(await workersOf(server, pathname.slice(1)))], stop: async () => {} }
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'questboard-test-'))
  // Most tests do not depend on durability; those that do start a separate server.
  const embedded = await startEmbedded({
    dataDir,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  })
  return {
    nodes: [embedded.connection],
    stop: async () => {
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
