import { z } from 'zod'
import { requestUpstream, upstreamUnavailable } from '../request-upstream.ts'
import type { Services } from '../../services.ts'

/** `ok: false` if the contract itself failed. */
export type CallResult = { ok: true; data: string } | { ok: false }

export interface EvmRpc {
  hasCode(address: string): Promise<boolean>
  call(call: { to?: string; data: string }): Promise<CallResult>
}

const hexData = z.string().regex(/^0x[0-9a-fA-F]*$/)
const answerShape = z.union([
  z.object({ result: hexData }),
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
])
/** Gas for one signature check; enough for current wallets, including on-chain passkeys. */
const GAS_CAP = '0x989680'

/** Opens a node's JSON-RPC and checks its chain id. @throws ApiError unavailable */
export async function openEvmRpc(services: Services, url: string, chainId: number): Promise<EvmRpc> {
  const name = `The node of EVM chain ${chainId}`
  const ask = async (method: string, params: unknown[]) => {
    const { status, json } = await requestUpstream(services, name, {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    // Some nodes return a failed call with status 4xx or 5xx and a JSON-RPC error.
    const answer = answerShape.safeParse(json).data
    if (!answer || (status !== 200 && 'result' in answer)) throw upstreamUnavailable(name)
    return answer
  }
  const require = async (method: string, params: unknown[]) => {
    const answer = await ask(method, params)
    if ('error' in answer) {
      services.log.warn({ upstream: name, method, error: answer.error }, 'a node rejected a request')
      throw upstreamUnavailable(name)
    }
    return answer.result
  }
  const said = await require('eth_chainId', [])
  if (said.length > 18 || Number(said) !== chainId) {
    services.log.error({ upstream: name, said }, 'the node in QUESTBOARD_EVM_RPC is on another chain')
    throw upstreamUnavailable(name)
  }
  return {
    async hasCode(address) {
      return (await require('eth_getCode', [address, 'latest'])).length > 2
    },
    async call(call) {
      const answer = await ask('eth_call', [{ ...call, gas: GAS_CAP }, 'latest'])
      if ('result' in answer) return { ok: true, data: answer.result.toLowerCase() }
      if (!isExecutionFailure(answer.error)) throw upstreamUnavailable(name)
      return { ok: false }
    },
  }
}

/** Code 3 is a revert. For other contract failures nodes use different codes but similar messages. */
function isExecutionFailure({ code, message }: { code: number; message: string }): boolean {
  return code === 3 || /revert|invalid opcode|out of gas|stack (?:under|over)flow|invalid jump|execution/i.test(message)
}
