import { unknownReference, wrongFormat } from '../texts/faults.ts'
import type { Database } from '../database/connection.ts'
import { bigId } from './fields.ts'
import type { Kind } from './kind.ts'
import { awards } from './kinds/awards.ts'
import { credentials } from './kinds/credentials.ts'
import { holders } from './kinds/holders.ts'
import { readCredentialTypes } from './kinds/holders.queries.ts'
import { participants } from './kinds/participants.ts'
import { points } from './kinds/points.ts'
import { quests } from './kinds/quests.ts'
import { spaces, sprints } from './kinds/spaces.ts'
import { starboards } from './kinds/starboards.ts'
import { links, samples, users } from './kinds/x-users.ts'
import type { Records } from './records.ts'
import { ImportFileError } from './source.ts'

export type KindName = keyof Records

/** All kinds; a kind may refer to those before it. */
export const kinds: Record<KindName, Kind> = {
  spaces,
  sprints,
  points,
  awards,
  starboards,
  users,
  samples,
  links,
  credentials,
  holders: holders(new Map()),
  quests,
  participants,
}

export const kindNames = Object.keys(kinds) as KindName[]

/**
 * Prepares a kind for an import: holders need the types of the credentials.
 * @param credentialId the credential of holders whose lines name none
 * @throws ImportFileError if that credential does not exist
 */
export async function prepareKind(name: KindName, database: Database, credentialId?: string): Promise<Kind> {
  if (name !== 'holders') return kinds[name]
  const id = credentialId === undefined ? undefined : bigId('').read(credentialId)
  if (credentialId !== undefined && id === undefined)
    throw new ImportFileError(
      `"${credentialId}" is not a credential id; allowed: ${bigId('').allowed}.`,
      wrongFormat('credential_id'),
    )
  const types = await readCredentialTypes(database.kysely, id === undefined ? undefined : [id])
  if (id !== undefined && !types.has(id))
    throw new ImportFileError(
      `The credential ${id} is not known; import it first (kind credentials).`,
      unknownReference(id),
    )
  return holders(types, id)
}
