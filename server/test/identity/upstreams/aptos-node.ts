import { startUpstream, type Upstream } from '../../support/upstream.ts'
import { json } from './answers.ts'

/** An Aptos full node's `GET /v1` and `GET /v1/accounts/{address}`. */
export interface AptosNode extends Upstream {
  /** Authentication keys by account on the chain. */
  keys: Map<string, string>
  chainId: number
  /** Overrides the response. */
  broken: { status: number; body: unknown } | undefined
}

export async function startAptosNode(): Promise<AptosNode> {
  const keys = new Map<string, string>()
  const upstream = await startUpstream(({ url }, response) => {
    if (node.broken) return json(response, node.broken.status, node.broken.body)
    if (url === '/v1')
      return json(response, 200, { chain_id: node.chainId, epoch: '1', ledger_version: '1', node_role: 'full_node' })
    const address = /^\/v1\/accounts\/(0x[0-9a-f]+)$/.exec(url)?.[1] ?? ''
    const key = keys.get(address)
    if (key === undefined)
      return json(response, 404, {
        message: `Account not found by Address(${address}) and Ledger version(1)`,
        error_code: 'account_not_found',
        vm_error_code: null,
      })
    json(response, 200, { sequence_number: '0', authentication_key: key })
  })
  const node: AptosNode = Object.assign(upstream, { keys, chainId: 1, broken: undefined })
  return node
}
