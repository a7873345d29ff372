import { fault } from '../texts/faults.ts'
import { sql } from 'kysely'
import type { IngestScope } from '../access/ingest-tokens.queries.ts'
import type { StagedRule } from '../ingest/kind.ts'
import { STAGED, stagedValues } from '../ingest/staging.queries.ts'

/** Rules for the rows that a token can write; none if the scope is unlimited. */
export type ScopeRule = (scope: IngestScope) => StagedRule[]

function denied(field: string, what: string, lines: StagedRule['lines']): StagedRule {
  return {
    field,
    code: 'PERMISSION_DENIED',
    reason: (id) => `this token may not write ${what} ${id}`,
    fault: (value) => fault('not_owned', { value }),
    lines,
  }
}

const outside = (column: string, type: string, ids: readonly (number | string)[]) =>
  sql`${sql.ref(column)} <> ALL (${ids}::${sql.raw(type)}[])`

/** The space of each line. */
export const ownSpace: ScopeRule = ({ spaceIds }) =>
  spaceIds === null
    ? []
    : [
        denied(
          'spaceId',
          'space',
          sql`SELECT line, space_id::text AS value FROM ${STAGED} WHERE ${outside('space_id', 'int', spaceIds)}`,
        ),
      ]

/** Both the current and the new space of a quest must be in the scope. */
export const spaceOfQuest: ScopeRule = (scope) =>
  scope.spaceIds === null
    ? []
    : [
        ...ownSpace(scope),
        denied(
          'id',
          'the quests of space',
          sql`
            SELECT line, q.space_id::text AS value FROM ${STAGED} s JOIN quests q USING (quest_id)
            WHERE ${outside('q.space_id', 'int', scope.spaceIds)}`,
        ),
      ]

export const spaceOfParticipants: ScopeRule = ({ spaceIds }) =>
  spaceIds === null
    ? []
    : [
        denied('questId', 'the quests of space', async (trx) => {
          // Two statements, because participants and quests have different distribution keys.
          const { rows } = await sql<{ questId: string; spaceId: number }>`
            SELECT quest_id AS "questId", space_id AS "spaceId" FROM quests
            WHERE quest_id = ANY(${await stagedValues(trx, 'quest_id')}::text[])
              AND ${outside('space_id', 'int', spaceIds)}`.execute(trx)
          return sql`
            SELECT s.line, q.space_id::text AS value FROM ${STAGED} s
            JOIN unnest(${rows.map(({ questId }) => questId)}::text[], ${rows.map(({ spaceId }) => spaceId)}::int[])
              AS q (quest_id, space_id) ON q.quest_id = s.quest_id`
        }),
      ]

const starboardNamedBy =
  (field: string): ScopeRule =>
  ({ starboardIds }) =>
    starboardIds === null
      ? []
      : [
          denied(
            field,
            'starboard',
            sql`SELECT line, starboard_id AS value FROM ${STAGED} WHERE ${outside('starboard_id', 'text', starboardIds)}`,
          ),
        ]
export const starboardItself = starboardNamedBy('id')
export const starboardOfLine = starboardNamedBy('starboardId')

const credentialNamedBy =
  (field: string): ScopeRule =>
  ({ credentialIds }) =>
    credentialIds === null
      ? []
      : [
          denied(
            field,
            'credential',
            sql`
              SELECT line, credential_id::text AS value FROM ${STAGED}
              WHERE ${outside('credential_id', 'bigint', credentialIds)}`,
          ),
        ]
export const credentialOfHolder = credentialNamedBy('credentialId')

/** A credential with a curator belongs to the curator's space. */
export const credentialItself: ScopeRule = (scope) => [
  ...credentialNamedBy('id')(scope),
  ...(scope.spaceIds === null
    ? []
    : [
        denied(
          'curatorSpaceId',
          'space',
          sql`
            SELECT line, curator_space_id::text AS value FROM ${STAGED}
            WHERE ${outside('curator_space_id', 'int', scope.spaceIds)}`,
        ),
      ]),
]
