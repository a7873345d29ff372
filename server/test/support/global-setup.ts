import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, type ClientConfig } from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ClientConfig
  }
}

export const TEMPLATE = 'questboard_template'

/** One real PostgreSQL for the whole run (TEST_DATABASE_URL, or an embedded one) with a migrated template database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { connection, stop } = await startPostgres()
  const client = new Client({ ...connection, database: 'postgres' })
  await client.connect()
  await client.query(`DROP DATABASE IF EXISTS ${TEMPLATE}`)
  await client.query(`CREATE DATABASE ${TEMPLATE}`)
  await client.end()
  const template = new Client({ ...connection, database: TEMPLATE })
  await template.connect()
  await migrate(template)
  await template.end()
  project.provide('postgres', connection)
  return stop
}

async function startPostgres(): Promise<{ connection: ClientConfig; stop: () => Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    const { hostname, port, username, password } = new URL(url)
    const host = hostname === '' ? {} : { host: decodeURIComponent(hostname) }
    return { connection: { ...host, port: Number(port || 5432), user: username, password }, stop: async () => {} }
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'questboard-test-'))
  // Most tests do not depend on durability; those that do start a separate server.
  const embedded = await startEmbedded({
    dataDir,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  })
  return {
    connection: embedded.connection,
    stop: async () => {
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
