import { createHash } from 'node:crypto'
import { isAccountAddress } from './account-address.ts'

const DEFAULT_NAME_LENGTH = 10

/**
 * The name of a member whose address is hidden: empty if it is the default, which can be computed from the address
 * (`shortId` of ranking/boards.queries.ts). The own address of an account is random, so its default reveals nothing.
 */
export function openName({ address, username }: { address: string; username: string }): string {
  if (isAccountAddress(address)) return username
  const byDefault = createHash('md5').update(address).digest('hex').slice(0, DEFAULT_NAME_LENGTH)
  return username === byDefault ? '' : username
}
