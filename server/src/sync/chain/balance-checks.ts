import type { SourceContext } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { finalBlock } from './blocks.ts'
import { call, hostOf, type Node, quantity, RpcError } from './json-rpc.ts'

/** The first 4 bytes of keccak-256 of the signature. */
const BALANCE_OF = '0x70a08231' // balanceOf(address): ERC-20 and ERC-721
const BALANCE_OF_TOKEN = '0x00fdd58e' // balanceOf(address,uint256): ERC-1155
const OWNER_OF = '0x6352211e' // ownerOf(uint256): ERC-721

/** Tokens whose owner one check reads. */
const MAX_TOKENS = 20

/** The block at which a check reads, as text. */
export async function checkedBlock(context: SourceContext, node: Node, confirmations: number): Promise<string> {
  return quantity(Math.max(0, await finalBlock(context, node, confirmations)))
}

/** Whether an address holds at least `minimum` of a fungible token, or as many tokens of an ERC-721 contract. */
export async function holdsBalance(
  context: SourceContext,
  node: Node,
  token: { contract: string; minimum: string; block: string },
  holder: string,
): Promise<boolean> {
  const { contract, minimum, block } = token
  return (await read(context, node, contract, BALANCE_OF + word(holder), block)) >= atLeastOne(minimum)
}

export async function holdsNative(
  context: SourceContext,
  node: Node,
  { minimum, block }: { minimum: string; block: string },
  holder: string,
): Promise<boolean> {
  const balance = wordOf(await call(context, node, 'eth_getBalance', [holder, block]), node)
  return balance >= BigInt(minimum)
}

/** Whether an address holds at least `minimum` of these tokens; undefined if they are too many for one check. */
export async function holdsTokens(
  context: SourceContext,
  node: Node,
  token: {
    contract: string
    standard: 'ERC721' | 'ERC1155'
    tokenIds: readonly string[]
    minimum: string
    block: string
  },
  holder: string,
): Promise<boolean | undefined> {
  const { contract, standard, tokenIds, block } = token
  if (tokenIds.length > MAX_TOKENS) return undefined
  let held = 0n
  for (const id of tokenIds) {
    if (standard === 'ERC1155')
      held += await read(context, node, contract, BALANCE_OF_TOKEN + word(holder) + word(id), block)
    else if (await isOwner(context, node, { contract, id, block }, holder)) held++
    if (held >= atLeastOne(token.minimum)) return true
  }
  return false
}

/** For a token that does not exist, the call reverts; such a token has no owner. */
async function isOwner(
  context: SourceContext,
  node: Node,
  { contract, id, block }: { contract: string; id: string; block: string },
  holder: string,
): Promise<boolean> {
  try {
    const owner = await read(context, node, contract, OWNER_OF + word(id), block)
    return owner === BigInt(holder)
  } catch (error) {
    if (error instanceof RpcError && /revert/i.test(error.message)) return false
    throw error
  }
}

const read = async (
  context: SourceContext,
  node: Node,
  contract: string,
  data: string,
  block: string,
): Promise<bigint> => wordOf(await call(context, node, 'eth_call', [{ to: contract, data }, block]), node)

/** A minimum of zero would include every address. */
const atLeastOne = (minimum: string): bigint => (minimum === '0' ? 1n : BigInt(minimum))

const word = (value: string): string => BigInt(value).toString(16).padStart(64, '0')

function wordOf(value: unknown, node: Node): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw new SourceError(`${hostOf(node)} returned no number for the balance of an address`)
  return BigInt(value)
}
