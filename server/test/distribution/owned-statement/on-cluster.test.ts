import type { Client, ClientConfig } from 'pg'
import { declaredStatements, type Value } from '@questboard/pg-read-pipeline'
import { afterAll, expect, inject, test } from 'vitest'
import '../../../src/app.ts'
import { readLayout } from '../../../src/distribution/layout.queries.ts'
import { connectionTo } from '../../../src/distribution/node-connections.ts'
import { locatorOf } from '../../../src/distribution/owned-statement.ts'
import { settingsOf } from '../../../src/distribution/owning-node.queries.ts'
import { createTestDatabase, isCluster } from '../../support/database.ts'
import { withClient } from '../../support/nodes.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

/** A value of each type of parameter. */
const samples: Readonly<Record<string, Value>> = {
  text: '0x0000000000000000000000000000000000000001',
  'text[]': '{a,b}',
  'character varying': 'a',
  integer: 40,
  'integer[]': '{40,41}',
  bigint: '40',
  'bigint[]': '{40,41}',
  smallint: 1,
  boolean: 'true',
  uuid: '00000000-0000-4000-8000-000000000001',
  'uuid[]': '{00000000-0000-4000-8000-000000000001}',
  'timestamp with time zone': new Date(0),
  'double precision': 1,
  numeric: '1',
  bytea: Buffer.from([1]),
  'bytea[]': '{}',
  date: '2026-01-01',
  jsonb: '{}',
}

/** Another value of the same type; the first variant is the value itself. */
function varied(value: Value, variant: number): Value {
  if (variant === 0) return value
  if (typeof value === 'number') return value + variant
  if (Buffer.isBuffer(value)) return Buffer.from([variant])
  // Of a number, an address and a UUID; others stay valid.
  return typeof value === 'string' && /^[0-9a-fx-]+$/.test(value) && !/^\d{4}-\d{2}-\d{2}$/.test(value)
    ? `${value.slice(0, -2)}${String(variant).padStart(2, '0')}`
    : value
}

async function valuesFor(client: Client, text: string): Promise<Value[]> {
  await client.query(`PREPARE declared AS ${text}`)
  const { rows } = await client.query<{ types: string[] }>(
    `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'declared'`,
  )
  await client.query('DEALLOCATE declared')
  return (rows[0]?.types ?? []).map((type) => {
    if (!(type in samples)) throw new Error(`no sample of ${type} for ${text}`)
    return samples[type] as Value
  })
}

test.skipIf(!isCluster())('every declared read runs on the node of its shards, as on the coordinator', async () => {
  const layout = await readLayout(database.pool)
  const connections = new Map<number, ClientConfig>(
    layout.nodes.map((node) => [node.group, connectionTo(node, database.connection, new Map())]),
  )
  const failures: string[] = []
  const groups = new Set<number>()
  await withClient(database.connection, async (coordinator) => {
    for (const statement of declaredStatements()) {
      // Writes go through the coordinator.
      if (/^(health|test)\./.test(statement.name) || /^UPDATE /.test(statement.text)) continue
      const locate = locatorOf(statement, layout)
      if (!locate) continue
      const values = await valuesFor(coordinator, statement.text)
      // Other values have their shards on other nodes.
      const tried = new Set<number>()
      for (let variant = 0; variant < 40; variant++) {
        const own = values.map((value) => varied(value, variant))
        const owned = locate(own)
        if (!owned) throw new Error(`${statement.name} has no node`)
        const { group } = owned
        if (tried.has(group)) continue
        tried.add(group)
        groups.add(group)
        const expected = await coordinator.query(statement.text, own as unknown[])
        await withClient(connections.get(group) as ClientConfig, async (node) => {
          await node.query(settingsOf(group))
          const found = await node.query(owned.statement.text, own as unknown[])
          expect(found.rows, statement.name).toEqual(expected.rows)
        }).catch((error: unknown) => failures.push(`${statement.name} at ${group}: ${String(error)}`))
      }
    }
  })
  expect(failures).toEqual([])
  expect([...groups].toSorted()).toEqual(inject('nodes').map((_, group) => group))
})
