import type { Database } from '../database/connection.ts'
import type { Kind } from './kind.ts'
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

export type KindName = keyof Records

/** Every kind, in an order in which one may refer to those before it. */
export const kinds: Record<KindName, Kind> = {
  spaces,
  sprints,
  points,
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
 * A kind made ready for an import. Holders have to know the types of the credentials.
 * @param credentialId of holders whose lines name no credential
 */
export async function prepareKind(name: KindName, database: Database, credentialId?: string): Promise<Kind> {
  if (name !== 'holders') return kinds[name]
  return holders(await readCredentialTypes(database.kysely, credentialId), credentialId)
}
