import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'

/** EIP-712: the types that statements use. */
type FieldType = 'address' | 'uint256' | 'int256' | 'string'
export interface Field {
  name: string
  type: FieldType
}

export interface TypedData {
  domain: Record<string, string>
  types: Record<string, readonly Field[]>
  primaryType: string
  /** Integers are decimal digits. */
  message: Record<string, string>
}

const DOMAIN_FIELDS: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
]

const hashText = (text: string): Uint8Array => keccak_256(Buffer.from(text, 'utf8'))

function encodeValue(type: FieldType, value: string): Uint8Array {
  if (type === 'string') return hashText(value)
  const word = type === 'int256' ? BigInt.asUintN(256, BigInt(value)) : BigInt(value)
  return Buffer.from(word.toString(16).padStart(64, '0'), 'hex')
}

function hashStruct(name: string, fields: readonly Field[], values: Record<string, string>): Uint8Array {
  const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`
  const encoded = fields.map((field) => encodeValue(field.type, values[field.name] ?? ''))
  return keccak_256(Buffer.concat([hashText(type), ...encoded]))
}

function typedDataHash({ domain, types, primaryType, message }: TypedData): Uint8Array {
  return keccak_256(
    Buffer.concat([
      Buffer.from([0x19, 0x01]),
      hashStruct('EIP712Domain', DOMAIN_FIELDS, domain),
      hashStruct(primaryType, types[primaryType] ?? [], message),
    ]),
  )
}

/** A signature of 65 bytes: r, s, v. */
export function signTypedData(privateKey: Uint8Array, data: TypedData): string {
  const signature = secp256k1.sign(typedDataHash(data), privateKey, { prehash: false, format: 'recovered' })
  const [recovery = 0, ...rs] = signature
  return `0x${Buffer.from([...rs, 27 + recovery]).toString('hex')}`
}
