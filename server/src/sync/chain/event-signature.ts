import { keccak_256 } from '@noble/hashes/sha3.js'

/** A parameter of an event. Its type is the canonical one: `uint` is `uint256`. */
export interface EventParameter {
  name: string
  type: string
  indexed: boolean
}

export interface EventSignature {
  /** Such as `Staked(address,uint256)`. */
  canonical: string
  /** keccak-256 of the canonical form: the first topic of its logs. */
  topic: string
  parameters: EventParameter[]
}

/** Describes a problem of a signature to the operator. */
export class EventSignatureError extends Error {
  override name = 'EventSignatureError'
}

const EXAMPLE = '"event Staked(address indexed user, uint256 amount)"'
const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const TYPES = 'address, bool, uint8 to uint256, int8 to int256, and bytes1 to bytes32'
const MAX_INDEXED = 3

/** Reads an event as Solidity writes it. @throws EventSignatureError */
export function parseEvent(text: string): EventSignature {
  if (/\)\s*anonymous\s*;?\s*$/.test(text)) throw new EventSignatureError('must not be anonymous')
  const [, name = '', list = ''] = /^\s*(?:event\s+)?([^\s()]+)\s*\(([^()]*)\)\s*;?\s*$/.exec(text) ?? []
  if (!NAME.test(name)) throw new EventSignatureError(`must be an event such as ${EXAMPLE}`)
  const parameters = list.trim() === '' ? [] : list.split(',').map(parseParameter)
  parameters.forEach((parameter, index) => {
    if (parameters.findIndex((other) => other.name === parameter.name) < index)
      throw new EventSignatureError(`has two parameters with the name "${parameter.name}"`)
  })
  if (parameters.filter(({ indexed }) => indexed).length > MAX_INDEXED)
    throw new EventSignatureError(`has more than ${MAX_INDEXED} indexed parameters`)
  const canonical = `${name}(${parameters.map(({ type }) => type).join(',')})`
  const topic = `0x${Buffer.from(keccak_256(Buffer.from(canonical))).toString('hex')}`
  return { canonical, topic, parameters }
}

function parseParameter(text: string, index: number): EventParameter {
  const [type = '', ...words] = text.trim().split(/\s+/)
  const indexed = words[0] === 'indexed'
  const [name, ...rest] = indexed ? words.slice(1) : words
  const canonical = canonicalType(type)
  if (canonical === undefined)
    throw new EventSignatureError(`has the type "${type}" for parameter ${index + 1}; allowed are ${TYPES}`)
  if (name === undefined || rest.length > 0 || !NAME.test(name))
    throw new EventSignatureError(`must have a type and a name for parameter ${index + 1}, such as "uint256 amount"`)
  return { name, type: canonical, indexed }
}

/** @returns undefined for types of variable length, and for those that do not exist */
function canonicalType(type: string): string | undefined {
  if (type === 'address' || type === 'bool') return type
  const [, base = '', digits = ''] = /^(uint|int|bytes)(\d{0,3})$/.exec(type) ?? []
  if (digits === '') return base === 'uint' || base === 'int' ? `${base}256` : undefined
  const size = Number(digits)
  const exists = base === 'bytes' ? size >= 1 && size <= 32 : size >= 8 && size <= 256 && size % 8 === 0
  return exists && base !== '' && !digits.startsWith('0') ? type : undefined
}

export const isNumeric = ({ type }: EventParameter): boolean => /^u?int/.test(type)
