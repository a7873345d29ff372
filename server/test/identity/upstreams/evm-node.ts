import { createAddressFromString, hexToBytes, bytesToHex, type PrefixedHexString } from '@ethereumjs/util'
import { createEVM } from '@ethereumjs/evm'
import type { Hex } from 'viem'
import { startUpstream, type Upstream } from '../../support/upstream.ts'
import { json } from './answers.ts'

type Answered = { result: string } | { error: { code: number; message: string; data?: string } }

/** JSON-RPC of an EVM chain on a real virtual machine: eth_chainId, eth_getCode, eth_call. */
export interface EvmNode extends Upstream {
  setCode(address: string, code: string): Promise<void>
  codeOf(address: string): Promise<string>
  /** Deploys a contract and returns its address. */
  deploy(creationCode: Hex): Promise<Hex>
  /** Calls a contract, keeps its changes and returns its result. */
  transact(to: Hex, data: Hex): Promise<Hex>
  /** Overrides the response of a method. */
  broken: { method: string; status: number; body: unknown } | undefined
}

export async function startEvmNode(chainId: number): Promise<EvmNode> {
  const evm = await createEVM()
  const { stateManager } = evm
  const answers: Record<string, (params: unknown[]) => Promise<Answered>> = {
    eth_chainId: async () => ({ result: `0x${chainId.toString(16)}` }),
    eth_getCode: async ([address]) => ({
      result: bytesToHex(await stateManager.getCode(createAddressFromString(String(address)))),
    }),
    async eth_call([call]) {
      const { to, data, gas } = call as { to?: string; data: PrefixedHexString; gas: string }
      await stateManager.checkpoint()
      const { execResult } = await evm.runCall({
        ...(to !== undefined && { to: createAddressFromString(to) }),
        data: hexToBytes(data),
        gasLimit: BigInt(gas),
      })
      await stateManager.revert()
      const { exceptionError, returnValue } = execResult
      if (!exceptionError) return { result: bytesToHex(returnValue) }
      const reverted = { code: 3, message: 'execution reverted', data: bytesToHex(returnValue) }
      return { error: exceptionError.error === 'revert' ? reverted : { code: -32000, message: exceptionError.error } }
    },
  }
  const upstream = await startUpstream(async ({ body }, response) => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] }
    if (node.broken?.method === method) return json(response, node.broken.status, node.broken.body)
    const answer = (await answers[method]?.(params)) ?? { error: { code: -32601, message: 'method not found' } }
    json(response, 200, { jsonrpc: '2.0', id, ...answer })
  })
  const run = async (call: { to?: Hex; data: Hex }) => {
    const { execResult, createdAddress } = await evm.runCall({
      ...(call.to !== undefined && { to: createAddressFromString(call.to) }),
      data: hexToBytes(call.data),
      gasLimit: 30_000_000n,
    })
    if (execResult.exceptionError) throw new Error(`the local chain refused a call: ${execResult.exceptionError.error}`)
    return { returned: bytesToHex(execResult.returnValue), created: createdAddress?.toString() as Hex }
  }
  const node: EvmNode = Object.assign(upstream, {
    codeOf: async (address: string) => bytesToHex(await stateManager.getCode(createAddressFromString(address))),
    deploy: async (creationCode: Hex) => (await run({ data: creationCode })).created,
    transact: async (to: Hex, data: Hex) => (await run({ to, data })).returned,
    broken: undefined,
    setCode: (address: string, code: string) =>
      stateManager.putCode(createAddressFromString(address), hexToBytes(code as PrefixedHexString)),
  })
  return node
}
