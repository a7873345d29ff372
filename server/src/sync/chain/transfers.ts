import { SourceError } from '../source-error.ts'
import type { Log } from './logs.ts'

/** keccak-256 of the event's signature (ERC-20 and ERC-721 share one; ERC-1155 has two). */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

export type Standard = 'ERC20' | 'ERC721' | 'ERC1155'

export interface Transfer {
  from: string
  to: string
  amount: bigint
}

export function topicsOf(standard: Standard): string[] {
  return standard === 'ERC1155' ? [TRANSFER_SINGLE, TRANSFER_BATCH] : [TRANSFER]
}

/**
 * The transfers in a log; empty if it moved none of the wanted tokens. A log of the same signature but
 * another standard (a Transfer with or without an indexed third value) is skipped: contracts may emit both.
 * @throws SourceError if the log does not match its signature
 */
export function transfersIn(log: Log, standard: Standard, tokenIds: ReadonlySet<bigint> | undefined): Transfer[] {
  const [signature = '', first = '', second = '', third = ''] = log.topics
  const wanted = (id: bigint) => tokenIds === undefined || tokenIds.has(id)
  if (standard === 'ERC20' || standard === 'ERC721') {
    if (log.topics.length !== (standard === 'ERC20' ? 3 : 4)) return []
    const parties = { from: addressIn(first), to: addressIn(second) }
    if (standard === 'ERC20') return [{ ...parties, amount: words(log)[0] ?? malformed() }]
    return wanted(BigInt(third)) ? [{ ...parties, amount: 1n }] : []
  }
  if (log.topics.length !== 4) return malformed()
  const parties = { from: addressIn(second), to: addressIn(third) }
  const data = words(log)
  if (signature.toLowerCase() === TRANSFER_SINGLE) {
    const [id = malformed(), amount = malformed()] = data
    return wanted(id) ? [{ ...parties, amount }] : []
  }
  const ids = arrayAt(data, 0)
  const amounts = arrayAt(data, 1)
  if (ids.length !== amounts.length) return malformed()
  return ids.flatMap((id, i) => (wanted(id) ? [{ ...parties, amount: amounts[i] as bigint }] : []))
}

function addressIn(topic: string): string {
  if (!/^0x0{24}/.test(topic)) return malformed()
  return `0x${topic.slice(26).toLowerCase()}`
}

function words(log: Log): bigint[] {
  const digits = log.data.slice(2)
  if (digits.length % 64 !== 0) return malformed()
  return Array.from({ length: digits.length / 64 }, (_, i) => BigInt(`0x${digits.slice(i * 64, (i + 1) * 64)}`))
}

/** The dynamic array whose offset is in the head at `place` (contract ABI). */
function arrayAt(data: readonly bigint[], place: number): bigint[] {
  const offset = data[place] ?? malformed()
  const start = Number(offset) / 32
  const length = Number.isInteger(start) ? data[start] : undefined
  if (length === undefined || length > BigInt(data.length - start - 1)) return malformed()
  return data.slice(start + 1, start + 1 + Number(length))
}

function malformed(): never {
  throw new SourceError('the node returned a transfer log that does not fit the standard of the contract')
}
