import { questDenied, spaceDenied } from '../errors.ts'
import type { Context } from '../graphql/context.ts'

type Reading = Pick<Context, 'spacesOfToken'>

const isReadable = ({ spacesOfToken }: Reading, spaceId: number): boolean => spacesOfToken?.includes(spaceId) ?? true

/** @throws PERMISSION_DENIED if the token is limited to other spaces */
export function requireSpace(reading: Reading, spaceId: number): void {
  if (!isReadable(reading, spaceId)) throw spaceDenied(spaceId)
}

/** @throws PERMISSION_DENIED, without the space, if the token is limited to other spaces than that of the quest */
export function requireSpaceOfQuest(reading: Reading, { space_id }: { space_id: string }): void {
  if (!isReadable(reading, Number(space_id))) throw questDenied()
}
