import { fault, unknownReference, wrongFormat } from '../texts/faults.ts'
import type { Database } from '../database/connection.ts'
import { originFault } from '../text/origins.ts'
import { existingSpaces } from './server-tokens.queries.ts'
import { TokenInputError } from './token-input-error.ts'

/** The restrictions of a publishable token (`qbp_…`), which every visitor of its pages can read. */
export interface PublishableScope {
  /** The origins whose pages can use it: scheme, host and port. */
  origins: readonly string[]
  /** The spaces whose boards or quests it can read; its areas decide which. */
  spaces: readonly number[]
}

export const MAX_ORIGINS = 20
export const MAX_SPACES = 100
const MAX_ID = 2_147_483_647

/** @throws TokenInputError */
export async function checkedScope(
  { kysely }: Pick<Database, 'kysely'>,
  { origins, spaces }: PublishableScope,
  areas: readonly string[],
): Promise<{ origins: string[]; spaceIds: number[] }> {
  if (origins.length === 0 || origins.length > MAX_ORIGINS)
    throw new TokenInputError(
      'origins',
      `A publishable token needs 1 to ${MAX_ORIGINS} origins.`,
      fault('wrong_count', { min: 1, max: MAX_ORIGINS }),
    )
  for (const origin of origins) {
    const reason = originFault(origin)
    if (reason !== undefined)
      throw new TokenInputError('origins', `The origin "${origin.slice(0, 100)}" ${reason}.`, wrongFormat('origin'))
  }
  const spaceIds = [...new Set(spaces)]
  if (spaceIds.length === 0 && (areas.includes('space') || areas.includes('quest')))
    throw new TokenInputError(
      'spaces',
      'A publishable token for spaces or quests needs at least one space.',
      fault('too_few', { min: 1 }),
    )
  if (spaceIds.length > MAX_SPACES)
    throw new TokenInputError(
      'spaces',
      `A publishable token reads at most ${MAX_SPACES} spaces.`,
      fault('too_many', { max: MAX_SPACES }),
    )
  const wrong = spaceIds.find((id) => !Number.isInteger(id) || id < 1 || id > MAX_ID)
  if (wrong !== undefined)
    throw new TokenInputError('spaces', 'The spaces must be numeric ids, such as 40.', wrongFormat('space_id'))
  const existing = await existingSpaces(kysely, spaceIds)
  const missing = spaceIds.filter((id) => !existing.includes(id))
  if (missing.length > 0)
    throw new TokenInputError(
      'spaces',
      `No space has the id ${missing.join(', ')}.`,
      unknownReference(missing.join(', ')),
    )
  return { origins: [...new Set(origins)], spaceIds }
}
