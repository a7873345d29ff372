import { type Answer } from './upstream.ts'

/** A transfer; addresses are small numbers. */
export interface Moved {
  block: number
  from: string
  to: string
  /** ERC-20: the amount. ERC-721: the token. ERC-1155: pairs of token and amount. */
  value: bigint | [id: bigint, amount: bigint][]
}

/** A log of any event of the contract. */
export interface Emitted {
  block: number
  topics: string[]
  data: string
  /** Number of the transaction; by default, each log has its own. */
  transaction?: number
}

export type TokenStandard = 'ERC20' | 'ERC721' | 'ERC1155'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

interface LogFilter {
  address: string
  topics: string[][]
  fromBlock: string
  toBlock: string
}

interface Call {
  id: number
  method: string
  params: unknown[]
}

/** An EVM node with one token contract, behind JSON-RPC. */
export interface EvmNode {
  contract: string
  /** The newest block. */
  head: number
  /** A change of the chain from this block on is a reorganization. */
  fork: (block: number) => number
  moves: Moved[]
  emitted: Emitted[]
  /** The time of a block, in milliseconds. */
  timeOf: (block: number) => number
  /** Whether logs contain the time of their block. */
  timesInLogs: boolean
  takesBatches: boolean
  /** The number of blocks that were requested. */
  blocksRead: number
  balances: Map<string, bigint>
  /** The largest range of blocks that eth_getLogs accepts. */
  maxRange: number
  /** The ranges of the successful calls of eth_getLogs. */
  answered: [from: number, to: number][]
  refused: number
  /** Changes the logs of a response to simulate a dishonest node. */
  tamper: (logs: Record<string, unknown>[]) => unknown
  answer: Answer
}

export const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
export const NOBODY = address(0)
export const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0')

const FIRST_BLOCK = Date.parse('2026-11-21T11:00:00Z')
/** Milliseconds between two blocks. Block 300 has the time at which test clocks begin. */
const BLOCK_TIME = 12_000

/** keccak-256 of `Staked(address,uint256)`. */
export const STAKED = '0x9e71bc8eea02a63969f509818f2dafb9254532904319f9dbda79b67bd34a5f3d'

/** A log of `event Staked(address indexed user, uint256 amount)`. */
export const staked = (block: number, user: string, amount: bigint | number, transaction?: number): Emitted => ({
  block,
  topics: [STAKED, `0x${word(user)}`],
  data: `0x${word(BigInt(amount))}`,
  ...(transaction !== undefined && { transaction }),
})

export function evmNode(standard: TokenStandard = 'ERC20'): EvmNode {
  const node: EvmNode = {
    contract: '0xc0ffee254729296a45a3885639ac7e10f9d54979',
    head: 100,
    fork: () => 0,
    moves: [],
    emitted: [],
    timeOf: (block) => FIRST_BLOCK + block * BLOCK_TIME,
    timesInLogs: false,
    takesBatches: true,
    blocksRead: 0,
    balances: new Map(),
    maxRange: Infinity,
    answered: [],
    refused: 0,
    tamper: (logs) => logs,
    answer: (request, response) => {
      const body = JSON.parse(request.body) as Call | Call[]
      const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no batches' } }
      const answers = !Array.isArray(body) ? reply(body) : node.takesBatches ? body.map(reply) : refusal
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
    },
  }
  function reply({ id, method, params }: Call): unknown {
    try {
      return { jsonrpc: '2.0', id, result: result(method, params) }
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32005, message: (error as Error).message } }
    }
  }
  function result(method: string, params: unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return '0x1'
      case 'eth_blockNumber':
        return `0x${node.head.toString(16)}`
      case 'eth_getBlockByNumber': {
        const number = Number(params[0])
        node.blocksRead++
        return number > node.head ? null : { number: params[0], hash: hash(number), timestamp: timestamp(number) }
      }
      case 'eth_getBalance':
        return `0x${(node.balances.get(params[0] as string) ?? 0n).toString(16)}`
      case 'eth_call':
        return contractCall(params[0] as { to: string; data: string }, Number(params[1]))
      case 'eth_getLogs':
        return logs(params[0] as LogFilter)
      default:
        throw new Error(`the method ${method} does not exist`)
    }
  }
  /** balanceOf of the three standards, and ownerOf. */
  function contractCall({ to, data }: { to: string; data: string }, block: number): string {
    if (to !== node.contract) return '0x'
    const [selector, first, second] = [data.slice(0, 10), data.slice(10, 74), data.slice(74, 138)]
    const moves = node.moves.filter((move) => move.block <= block)
    if (selector === '0x6352211e') {
      const owner = moves.findLast(({ value }) => value === BigInt(`0x${first}`))?.to
      if (owner === undefined || owner === NOBODY) throw new Error('execution reverted: ERC721: invalid token ID')
      return `0x${word(owner)}`
    }
    const holder = BigInt(`0x${first}`)
    const amountOf = ({ value }: Moved): bigint => {
      if (!Array.isArray(value)) return standard === 'ERC721' ? 1n : value
      return value.reduce((sum, [id, amount]) => (id === BigInt(`0x${second}`) ? sum + amount : sum), 0n)
    }
    if (selector !== '0x70a08231' && selector !== '0x00fdd58e') throw new Error('execution reverted')
    const balance = moves.reduce((sum, move) => {
      if (BigInt(move.to) === holder) return sum + amountOf(move)
      return BigInt(move.from) === holder ? sum - amountOf(move) : sum
    }, 0n)
    return `0x${word(balance)}`
  }
  const timestamp = (block: number) => `0x${(node.timeOf(block) / 1_000).toString(16)}`
  const hash = (block: number) => `0x${word(BigInt(block * 1_000 + node.fork(block) + 1))}`

  function logs(filter: LogFilter): unknown {
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
    if (to - from + 1 > node.maxRange) {
      node.refused++
      throw new Error('query returned more than 10000 results')
    }
    node.answered.push([from, to])
    const all: Emitted[] = [
      ...node.moves.map((move) => ({ block: move.block, ...encode(standard, move) })),
      ...node.emitted,
    ]
    const found = all
      .map((log, index) => ({ ...log, index }))
      .filter(({ block }) => filter.address === node.contract && block >= from && block <= to && block <= node.head)
      .filter(({ topics: [first = ''] }) => filter.topics[0]?.includes(first))
    return node.tamper(
      found.map(({ block, topics, data, transaction, index }) => ({
        address: node.contract,
        topics,
        data,
        blockNumber: `0x${block.toString(16)}`,
        blockHash: hash(block),
        ...(node.timesInLogs && { blockTimestamp: timestamp(block) }),
        transactionHash: `0x${word(BigInt(transaction ?? index + 1))}`,
        transactionIndex: '0x0',
        logIndex: `0x${index.toString(16)}`,
        removed: false,
      })),
    )
  }
  return node
}

function encode(standard: TokenStandard, { from, to, value }: Moved): { topics: string[]; data: string } {
  const parties = [`0x${word(from)}`, `0x${word(to)}`]
  if (Array.isArray(value)) {
    const operator = `0x${word('0x1')}`
    const [only] = value
    if (value.length === 1 && only)
      return { topics: [SINGLE, operator, ...parties], data: `0x${word(only[0])}${word(only[1])}` }
    const array = (items: bigint[]) => word(BigInt(items.length)) + items.map(word).join('')
    const ids = array(value.map(([id]) => id))
    const amounts = array(value.map(([, amount]) => amount))
    const data = word(64n) + word(BigInt(64 + ids.length / 2)) + ids + amounts
    return { topics: [BATCH, operator, ...parties], data: `0x${data}` }
  }
  return standard === 'ERC721'
    ? { topics: [TRANSFER, ...parties, `0x${word(value)}`], data: '0x' }
    : { topics: [TRANSFER, ...parties], data: `0x${word(value)}` }
}
