/** A signature of a contract wallet that is not deployed yet (ERC-6492), as `0x` hex. */
export interface Wrapped {
  factory: string
  factoryCall: string
  signature: string
}

const MAGIC_SUFFIX = '6492'.repeat(16)

/** Reads `abi.encode(factory, factoryCall, signature)` and the suffix. Returns undefined if the format differs. */
export function readWrapped(signature: string): Wrapped | undefined {
  const hex = signature.slice(2).toLowerCase()
  if (!hex.endsWith(MAGIC_SUFFIX)) return undefined
  const body = hex.slice(0, -MAGIC_SUFFIX.length)
  const factory = /^0{24}([0-9a-f]{40})/.exec(body)?.[1]
  const factoryCall = bytesAt(body, 1)
  const inner = bytesAt(body, 2)
  if (factory === undefined || factoryCall === undefined || inner === undefined) return undefined
  return { factory: `0x${factory}`, factoryCall, signature: inner }
}

/** The dynamic `bytes` whose offset is in the given word. */
function bytesAt(body: string, index: number): string | undefined {
  const offset = numberAt(body, 64 * index)
  const length = offset === undefined ? undefined : numberAt(body, 2 * offset)
  if (offset === undefined || length === undefined) return undefined
  const start = 2 * offset + 64
  const bytes = body.slice(start, start + 2 * length)
  return bytes.length === 2 * length ? `0x${bytes}` : undefined
}

function numberAt(body: string, at: number): number | undefined {
  const match = /^0{56}([0-9a-f]{8})$/.exec(body.slice(at, at + 64))
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1], 16)
}

const op = {
  AND: '16',
  CALL: 'f1',
  CODECOPY: '39',
  GAS: '5a',
  GT: '11',
  MLOAD: '51',
  MSTORE: '52',
  MUL: '02',
  POP: '50',
  RETURN: 'f3',
  RETURNDATASIZE: '3d',
  STATICCALL: 'fa',
} as const
const push3 = (number: number) => `62${number.toString(16).padStart(6, '0')}`
const push20 = (address: string) => `73${address.slice(2)}`

/**
 * Builds code for an `eth_call` without a recipient, so that no deployed contract is needed. The code calls the
 * factory, then the account, and returns the first word of the account's result, or zero.
 */
export function counterfactualCheck({ factory, factoryCall }: Wrapped, account: string, accountCall: string): string {
  const first = factoryCall.slice(2)
  const second = accountCall.slice(2)
  const [firstLength, secondLength] = [first.length / 2, second.length / 2]
  // Memory that no argument uses, so an empty result leaves zero in it.
  const answerAt = 32 * Math.ceil(Math.max(firstLength, secondLength) / 32)
  const assemble = (codeLength: number) =>
    [
      ...[push3(firstLength), push3(codeLength), push3(0), op.CODECOPY],
      ...[push3(0), push3(0), push3(firstLength), push3(0), push3(0), push20(factory), op.GAS, op.CALL, op.POP],
      ...[push3(secondLength), push3(codeLength + firstLength), push3(0), op.CODECOPY],
      ...[push3(32), push3(answerAt), push3(secondLength), push3(0), push20(account), op.GAS, op.STATICCALL],
      ...[push3(31), op.RETURNDATASIZE, op.GT, op.AND, push3(answerAt), op.MLOAD, op.MUL],
      ...[push3(0), op.MSTORE, push3(32), push3(0), op.RETURN],
    ].join('')
  const codeLength = assemble(0).length / 2
  return `0x${assemble(codeLength)}${first}${second}`
}
