import { spaceDenied } from '../errors.ts'
import type { Context } from '../graphql/context.ts'

/** @throws PERMISSION_DENIED if the token is limited to other spaces */
export function requireSpace({ publicSpaces }: Pick<Context, 'publicSpaces'>, spaceId: number): void {
  if (publicSpaces !== undefined && !publicSpaces.includes(spaceId)) throw spaceDenied(spaceId)
}
