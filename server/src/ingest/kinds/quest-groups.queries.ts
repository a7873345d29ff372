import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { unknownReference } from '../../texts/faults.ts'
import type { StagedRule } from '../kind.ts'
import { STAGED } from '../staging.queries.ts'

const groups = sql`(
  SELECT line, given, quest_id, g.value->>'id' AS group_id, g.ordinality AS position, g.value
  FROM ${STAGED}, jsonb_array_elements(credential_groups) WITH ORDINALITY AS g
)`
const parts = (name: 'conditions' | 'rewards') => sql`(
  SELECT g.line, g.given, quest_id, group_id, g.position AS group_position, p.ordinality AS position, p.value
  FROM ${groups} AS g, jsonb_array_elements(g.value->${sql.lit(name)}) WITH ORDINALITY AS p
)`

// On a cluster, credentials are not on the node of the quests, so statements pass them as lists.
async function namesOfCredentials(trx: Kysely<DB>): Promise<Map<string, string | undefined>> {
  const { rows: asked } = await sql<{ id: string }>`
    SELECT DISTINCT value->>'credentialId' AS id FROM ${parts('conditions')} AS c`.execute(trx)
  const ids = asked.map(({ id }) => id)
  // Locked one after the other, so that none is deleted before the conditions are stored.
  await sql`SELECT share_credentials(${ids}::bigint[])`.execute(trx)
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT credential_id::text AS id, name FROM credentials WHERE credential_id = ANY(${ids}::bigint[])`.execute(trx)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return new Map(ids.map((id) => [id, names.get(id)]))
}

const unknown = (id = '') => unknownReference(id)

/** The value is the position of the group, that of the condition, and the credential. */
export const conditionMustExist: StagedRule = {
  field: 'credentialGroups',
  reason: (value) => `the credential "${value.split(' ')[2]}" of a condition is not known; import it first`,
  fault: (value) => unknown(value.split(' ')[2]),
  part(value) {
    const [group, condition, id] = value.split(' ')
    const path = `[${Number(group) - 1}].conditions[${Number(condition) - 1}].credentialId`
    return { path, reason: `is "${id}", which is not a known credential`, fault: unknown(id) }
  },
  async lines(trx) {
    const missing = [...(await namesOfCredentials(trx))].filter(([, name]) => name === undefined).map(([id]) => id)
    return sql`
      SELECT line, concat_ws(' ', group_position, position, value->>'credentialId') AS value
      FROM ${parts('conditions')} AS c WHERE value->>'credentialId' = ANY(${missing}::text[])`
  },
}

/**
 * Sets the groups, conditions and rewards of quests, for lines that have the field. Returns the quests that changed.
 */
export async function storeGroups(trx: Kysely<DB>, bit: number): Promise<Set<string>> {
  const changed = new Set<string>()
  const run = async (statement: ReturnType<typeof sql<{ quest_id: string }>>) => {
    for (const row of (await statement.execute(trx)).rows) changed.add(row.quest_id)
  }
  const given = sql`given & ${bit} <> 0`
  const obsolete = (table: string, kept: ReturnType<typeof sql>, key: string) => sql<{ quest_id: string }>`
    DELETE FROM ${sql.table(table)} t
    WHERE quest_id IN (SELECT quest_id FROM ${STAGED} WHERE ${given})
      AND (${sql.raw(key)}) NOT IN (SELECT ${sql.raw(key)} FROM ${kept} AS k)
    RETURNING quest_id`
  await run(obsolete('quest_credential_groups', groups, 'quest_id, group_id'))
  await run(obsolete('quest_conditions', parts('conditions'), 'quest_id, group_id, position'))
  await run(obsolete('quest_rewards', parts('rewards'), 'quest_id, group_id, position'))
  await run(sql`
    INSERT INTO quest_credential_groups AS t (quest_id, group_id, position, name, condition_relation)
    SELECT quest_id, group_id, position, value->>'name', value->>'conditionRelation' FROM ${groups} AS g WHERE ${given}
    ORDER BY quest_id, group_id
    ON CONFLICT (quest_id, group_id) DO UPDATE
      SET position = excluded.position, name = excluded.name, condition_relation = excluded.condition_relation
      WHERE (t.position, t.name, t.condition_relation)
        IS DISTINCT FROM (excluded.position, excluded.name, excluded.condition_relation)
    RETURNING quest_id`)
  const names = [...(await namesOfCredentials(trx))]
  await run(sql`
    INSERT INTO quest_conditions AS t (quest_id, group_id, position, expression, credential_id)
    SELECT quest_id, group_id, position, coalesce(nullif(value->>'expression', ''), c.name), c.id::bigint
    FROM ${parts('conditions')} AS p
    JOIN unnest(${names.map(([id]) => id)}::text[], ${names.map(([, name]) => name ?? null)}::text[]) AS c (id, name)
      ON c.id = value->>'credentialId' WHERE ${given}
    ORDER BY quest_id, group_id, position
    ON CONFLICT (quest_id, group_id, position) DO UPDATE
      SET expression = excluded.expression, credential_id = excluded.credential_id
      WHERE (t.expression, t.credential_id) IS DISTINCT FROM (excluded.expression, excluded.credential_id)
    RETURNING quest_id`)
  await run(sql`
    INSERT INTO quest_rewards AS t (quest_id, group_id, position, expression, reward_type, reward_count)
    SELECT quest_id, group_id, position, value->>'expression', value->>'rewardType', (value->>'rewardCount')::integer
    FROM ${parts('rewards')} AS p WHERE ${given}
    ORDER BY quest_id, group_id, position
    ON CONFLICT (quest_id, group_id, position) DO UPDATE
      SET expression = excluded.expression, reward_type = excluded.reward_type, reward_count = excluded.reward_count
      WHERE (t.expression, t.reward_type, t.reward_count)
        IS DISTINCT FROM (excluded.expression, excluded.reward_type, excluded.reward_count)
    RETURNING quest_id`)
  return changed
}
