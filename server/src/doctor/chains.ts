import { z } from 'zod'
import type { Config } from '../config.ts'
import { ask, type Asked, type Asking } from './ask.ts'
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
export function examineChains(asking: Asking, { identity }: Config): Promise<Finding>[] {
  const { evmRpc, aptos, flow } = identity
  const evm = [...evmRpc].map(([chainId, url]) => examineEvm(asking, chainId, url))
  if (evm.length === 0)
    evm.push(Promise.resolve(off('EVM nodes', 'QUESTBOARD_EVM_RPC is not set: contract wallets cannot sign in')))
  return [...evm, examineAptos(asking, aptos), examineFlow(asking, flow)]
}

async function examineEvm(asking: Asking, chainId: number, url: string): Promise<Finding> {
  const name = `EVM chain ${chainId}`
  const setting = `the entry ${chainId}= of QUESTBOARD_EVM_RPC`
  const asked = await ask(asking, {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  return judge(name, setting, asked, (answer) => evmAnswer.safeParse(answer).data?.result, chainId, hostOf(url))
}

async function examineAptos(asking: Asking, { network, node }: Config['identity']['aptos']): Promise<Finding> {
  const name = 'Aptos node'
  if (node === undefined)
    return note(
      name,
      'QUESTBOARD_APTOS_NODE is not set: keys that an account has replaced are still accepted',
      'Set QUESTBOARD_APTOS_NODE to a full node, or do not use AptosAddress in production.',
    )
  const asked = await ask(asking, { url: node })
  const read = (answer: unknown) => aptosAnswer.safeParse(answer).data?.chain_id
  return judge(name, 'QUESTBOARD_APTOS_NODE', asked, read, APTOS_CHAINS[network], hostOf(node))
}

async function examineFlow(asking: Asking, { network, node }: Config['identity']['flow']): Promise<Finding> {
  const name = 'Flow access node'
  if (node === undefined) return off(name, 'QUESTBOARD_FLOW_NODE is not set')
  const asked = await ask(asking, { url: `${node}/v1/network/parameters` })
  const read = (answer: unknown) => flowAnswer.safeParse(answer).data?.chain_id
  return judge(name, 'QUESTBOARD_FLOW_NODE', asked, read, `flow-${network}`, hostOf(node))
}

function judge<Id extends string | number>(
  name: string,
  setting: string,
  asked: Asked | { failed: string },
  read: (answer: unknown) => Id | undefined,
  expected: Id,
  host: string,
): Finding {
  if ('failed' in asked) return problem(name, asked.failed, `Check that the node runs and that ${setting} has its URL.`)
  const found = asked.status === 200 ? read(asked.json) : undefined
  if (asked.status === 401 || asked.status === 403)
    return problem(name, `${host} responds with ${asked.status}`, `Check the key in ${setting}.`)
  if (found === undefined)
    return problem(name, `${host} responds with ${asked.status}, unlike such a node`, `Check ${setting}.`)
  if (found !== expected)
    return problem(
      name,
      `${host} is on chain ${found}, not ${expected}`,
      `Set ${setting} to the URL of a node of chain ${expected}.`,
    )
  return ok(name, `${host} is on chain ${expected}`)
}

const hostOf = (url: string) => new URL(url).host
