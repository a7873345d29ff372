import type { Context } from '../graphql/context.ts'
import { holdsCredential } from './holders.queries.ts'

/**
 * Whether an address, in its canonical form, holds a credential: its API says so when it has one that is asked at
 * answer time, its list otherwise.
 * @throws UPSTREAM_UNAVAILABLE when the API does not say
 */
export async function holds(
  { reader, askApi }: Pick<Context, 'reader' | 'askApi'>,
  credential: { id: string; credSource: string },
  address: string,
): Promise<boolean> {
  const said = credential.credSource === 'API' ? await askApi(credential.id, address) : undefined
  return said ?? holdsCredential(reader, credential.id, address)
}
