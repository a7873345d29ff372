import { startUpstream, type Upstream } from '../../support/upstream.ts'
import { json } from './answers.ts'

export interface NodeKey {
  index: string
  public_key: string
  signing_algorithm: string
  hashing_algorithm: string
  sequence_number: string
  weight: string
  revoked: boolean
}

/** A Flow access node: `GET /v1/network/parameters`, `GET /v1/accounts/{address}?block_height=sealed&expand=keys`. */
export interface FlowNode extends Upstream {
  accounts: Map<string, NodeKey[]>
  chainId: string
  broken: { status: number; body: unknown } | undefined
}

export async function startFlowNode(): Promise<FlowNode> {
  const accounts = new Map<string, NodeKey[]>()
  const upstream = await startUpstream(({ url }, response) => {
    if (node.broken) return json(response, node.broken.status, node.broken.body)
    const { pathname, searchParams } = new URL(url, 'http://node')
    if (pathname === '/v1/network/parameters') return json(response, 200, { chain_id: node.chainId })
    const address = /^\/v1\/accounts\/0x([0-9a-f]{16})$/.exec(pathname)?.[1] ?? ''
    const keys = accounts.get(address)
    if (!keys || searchParams.get('block_height') !== 'sealed' || searchParams.get('expand') !== 'keys')
      return json(response, 404, { code: 404, message: `account not found for address ${address}` })
    json(response, 200, {
      address,
      balance: '100000',
      keys,
      contracts: {},
      _expandable: { contracts: 'contracts' },
      _links: { _self: `/v1/accounts/${address}` },
    })
  })
  const node: FlowNode = Object.assign(upstream, { accounts, chainId: 'flow-mainnet', broken: undefined })
  return node
}
