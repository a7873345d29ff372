import { z } from 'zod'
import { canonicalAptosAddress } from '../../addresses/addresses.ts'
import { requestUpstream, upstreamUnavailable } from '../request-upstream.ts'
import type { Services } from '../../services.ts'

const accountShape = z.object({ authentication_key: z.string() })
const errorShape = z.object({ error_code: z.string() })
const NODE = 'The Aptos full node'

/**
 * The account's current authentication key (`GET /accounts/{address}` of the full node's REST API). If the account is
 * not on the chain yet, the key equals the address. @throws ApiError unavailable
 */
export async function authenticationKeyOf(services: Services, node: string, address: string): Promise<string> {
  const { status, json } = await requestUpstream(services, NODE, { url: `${node}/accounts/${address}` })
  if (status === 404 && errorShape.safeParse(json).data?.error_code === 'account_not_found') return address
  const key = status === 200 ? accountShape.safeParse(json).data?.authentication_key : undefined
  const canonical = key === undefined ? undefined : canonicalAptosAddress(key)
  if (canonical === undefined) throw upstreamUnavailable(NODE)
  return canonical
}
