import { z } from 'zod'
import type { Config } from '../config.ts'
import { probe, type ProbeResponse, type ProbeOptions } from './probe.ts'
import { type Finding, note, off, ok, problem } from './finding.ts'

/** Chain ids by network (aptos-core, config/global-constants). */
const APTOS_CHAINS = { mainnet: 1, testnet: 2 } as const

const hexNumber = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,16}$/)
  .transform(Number)
const evmAnswer = z.object({ result: hexNumber })
const aptosAnswer = z.object({ chain_id: z.number() })
const flowAnswer = z.object({ chain_id: z.string() })

/** Checks that the nodes for wallets are reachable and on the configured chain. */
export function examineChains(options: ProbeOptions, { identity }: Config): Promise<Finding>[] {
  const { evmRpc, aptos, flow } = identity
  const evm = [...evmRpc].map(([chainId, url]) => examineEvm(options, chainId, url))
  if (evm.length === 0)
    evm.push(Promise.resolve(off('EVM nodes', 'QUESTBOARD_EVM_RPC is not set: contract wallets cannot sign in')))
  return [...evm, examineAptos(options, aptos), examineFlow(options, flow)]
}

async function examineEvm(options: ProbeOptions, chainId: number, url: string): Promise<Finding> {
  const name = `EVM chain ${chainId}`
  const setting = `the entry ${chainId}= of QUESTBOARD_EVM_RPC`
  const response = await probe(options, {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  return judge(name, setting, response, (answer) => evmAnswer.safeParse(answer).data?.result, chainId, hostOf(url))
}

async function examineAptos(options: ProbeOptions, { network, node }: Config['identity']['aptos']): Promise<Finding> {
  const name = 'Aptos node'
  if (node === undefined)
    return note(
      name,
      'QUESTBOARD_APTOS_NODE is not set: keys that an account has replaced are still accepted',
      'Set QUESTBOARD_APTOS_NODE to a full node, or do not use AptosAddress in production.',
    )
  const response = await probe(options, { url: node })
  const read = (answer: unknown) => aptosAnswer.safeParse(answer).data?.chain_id
  return judge(name, 'QUESTBOARD_APTOS_NODE', response, read, APTOS_CHAINS[network], hostOf(node))
}

async function examineFlow(options: ProbeOptions, { network, node }: Config['identity']['flow']): Promise<Finding> {
  const name = 'Flow access node'
  if (node === undefined) return off(name, 'QUESTBOARD_FLOW_NODE is not set')
  const response = await probe(options, { url: `${node}/v1/network/parameters` })
  const read = (answer: unknown) => flowAnswer.safeParse(answer).data?.chain_id
  return judge(name, 'QUESTBOARD_FLOW_NODE', response, read, `flow-${network}`, hostOf(node))
}

function judge<Id extends string | number>(
  name: string,
  setting: string,
  response: ProbeResponse | { failed: string },
  read: (answer: unknown) => Id | undefined,
  expected: Id,
  host: string,
): Finding {
  if ('failed' in response)
    return problem(name, response.failed, `Check that the node runs and that ${setting} has its URL.`)
  const found = response.status === 200 ? read(response.json) : undefined
  if (response.status === 401 || response.status === 403)
    return problem(name, `${host} responds with ${response.status}`, `Check the key in ${setting}.`)
  if (found === undefined)
    return problem(name, `${host} responds with ${response.status}, unlike such a node`, `Check ${setting}.`)
  if (found !== expected)
    return problem(
      name,
      `${host} is on chain ${found}, not ${expected}`,
      `Set ${setting} to the URL of a node of chain ${expected}.`,
    )
  return ok(name, `${host} is on chain ${expected}`)
}

const hostOf = (url: string) => new URL(url).host
