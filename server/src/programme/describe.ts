import type { Kysely } from 'kysely'
import type { Config } from '../config.ts'
import { type ContentKind, contentKinds, type ContentRecord, editableFields } from '../content/records/content-kinds.ts'
import { readRecord, readRecordsOf, readSpaceFacts } from '../content/records/records.queries.ts'
import type { Database } from '../database/connection.ts'
import type { DB } from '../database/tables.ts'
import { ApiError } from '../errors.ts'
import { isEmpty } from '../ingest/check.ts'
import { kinds } from '../ingest/kinds.ts'
import type { ObjectId } from '../objects/object-kinds.ts'
import { findSource } from '../sync/sources.queries.ts'
import { withoutSecrets } from '../sync/write-only.ts'
import { asJson } from './differences.ts'
import { describeRules } from './rules-of-space.ts'
import { readStored } from './source-of-credential.ts'

export interface Wanted {
  spaceIds: readonly number[]
  starboardIds: readonly string[]
}

type Members = Record<string, unknown>

/**
 * Describes spaces and starboards for a file that `apply` accepts. The credentials without a curator that quests of the
 * spaces use are included. @throws ApiError not_found
 */
export async function describe(
  { database, config }: { database: Database; config: Config },
  { spaceIds, starboardIds }: Wanted,
): Promise<Members> {
  return database.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const spaces: Members[] = []
      const used = new Set<string>()
      for (const spaceId of spaceIds) spaces.push(await describeSpace({ trx, config }, spaceId, used))
      const credentials: Members[] = []
      for (const id of [...used].toSorted()) {
        const record = await readRecord(trx, contentKinds.credential, { text: id })
        if (record && record.curatorSpaceId === null)
          credentials.push(await describeCredential({ trx, config }, record))
      }
      const starboards: Members[] = []
      for (const text of starboardIds)
        starboards.push(
          described(contentKinds.starboard, await requireRecord(trx, contentKinds.starboard, { text }), []),
        )
      return withoutEmpty({ spaces, credentials, starboards })
    })
}

interface Reading {
  trx: Kysely<DB>
  config: Config
}

/** @param used receives the ids of the credentials that quests use */
async function describeSpace({ trx, config }: Reading, spaceId: number, used: Set<string>): Promise<Members> {
  const space = await requireRecord(trx, contentKinds.space, { text: String(spaceId), spaceId })
  const facts = await readSpaceFacts(trx, spaceId)
  const credentials: Members[] = []
  for (const record of await readRecordsOf(trx, 'credential', spaceId))
    credentials.push(await describeCredential({ trx, config }, record))
  const quests = await readRecordsOf(trx, 'quest', spaceId)
  for (const { credentialGroups } of quests as { credentialGroups: { conditions: { credentialId: string }[] }[] }[])
    for (const { conditions } of credentialGroups) for (const { credentialId } of conditions) used.add(credentialId)
  return {
    ...described(contentKinds.space, space, []),
    ...(facts?.slug && { slug: facts.slug }),
    ...withoutEmpty({
      sprints: (await readRecordsOf(trx, 'sprint', spaceId)).map((record) =>
        described(contentKinds.sprint, record, ['spaceId']),
      ),
      credentials,
      quests: quests.map((record) => described(contentKinds.quest, record, ['spaceId'])),
      rules: await describeRules(trx, spaceId),
    }),
  }
}

async function describeCredential({ trx, config }: Reading, record: ContentRecord): Promise<Members> {
  const row = await findSource(trx, String(record.id))
  const source = row?.source ? readStored({ config }, String(record.id), row.source) : undefined
  return {
    ...described(contentKinds.credential, record, ['curatorSpaceId']),
    ...(source && { source: withoutSecrets(source) }),
  }
}

/** The key and the fields that differ from their defaults. */
function described(kind: ContentKind, record: ContentRecord, implied: readonly string[]): Members {
  const { fields } = kinds[kind.records]
  const values = asJson(record)
  const key = kind.key.filter((field) => !implied.includes(field)).map((field) => [field, values[field]])
  const others = editableFields(kind).flatMap(([name]) => {
    const value = values[name]
    const spec = fields[name]
    if (implied.includes(name) || isEmpty(value) || spec?.read(value) === spec?.fallback) return []
    // The service moves the status.
    return name === 'status' && values.autoStatus === true ? [] : [[name, withoutBlank(value)]]
  })
  return Object.fromEntries([...key, ...others]) as Members
}

/** Omits empty texts of credential groups, because they are the defaults. */
function withoutBlank(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlank)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== '')
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutBlank(inner)]))
}

async function requireRecord(trx: Kysely<DB>, kind: ContentKind, id: ObjectId): Promise<ContentRecord> {
  const record = await readRecord(trx, kind, id)
  if (!record) throw new ApiError('not_found', `The ${kind.name} ${id.text} does not exist`)
  return record
}

const withoutEmpty = (lists: Record<string, unknown[]>): Members =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
