import type { Kysely } from 'kysely'
import type { DB } from '../../database/tables.ts'
import { notFound } from '../../errors.ts'
import type { Right } from '../../teams/roles.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { requireCredentialRight } from '../credentials/credential-rights.ts'
import { readRecord } from '../records/records.queries.ts'
import { spaceIn } from '../records/spaces-of-records.ts'

const kind = contentKinds.credential

/** Requires a right for the credential of a source. @throws ApiError */
export async function requireSourceRight(
  kysely: Kysely<DB>,
  accountId: string,
  id: string,
  right: Right,
): Promise<void> {
  const record = await readRecord(kysely, kind, { text: id })
  if (!record) throw notFound('Credential')
  await requireCredentialRight(
    kysely,
    accountId,
    { id, curatorSpaceId: spaceIn(kind, record, 'curatorSpaceId') },
    right,
  )
}
