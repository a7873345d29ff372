import { z } from 'zod'
import type { Config } from '../config.ts'
import { type FailedProbe, probe, type ProbeResponse, type ProbeOptions } from './probe.ts'
import type { FindingValue } from '../texts/findings.ts'
import { type Finding, note, notSet, off, ok, part, problem } from './finding.ts'

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
  if (evm.length === 0) evm.push(Promise.resolve(off('EVM nodes', 'evm.off')))
  return [...evm, examineAptos(options, aptos), examineFlow(options, flow)]
}

async function examineEvm(options: ProbeOptions, chainId: number, url: string): Promise<Finding> {
  const response = await probe(options, {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  const setting = part('evm-entry', { chain: chainId })
  const read = (answer: unknown) => evmAnswer.safeParse(answer).data?.result
  return judge(['EVM chain', chainId], response, { setting, read, expected: chainId, host: hostOf(url) })
}

async function examineAptos(options: ProbeOptions, { network, node }: Config['identity']['aptos']): Promise<Finding> {
  const name = 'Aptos node'
  if (node === undefined) return note(name, 'aptos.off')
  const response = await probe(options, { url: node })
  const read = (answer: unknown) => aptosAnswer.safeParse(answer).data?.chain_id
  const expected: number = APTOS_CHAINS[network]
  return judge(name, response, { setting: 'QUESTBOARD_APTOS_NODE', read, expected, host: hostOf(node) })
}

async function examineFlow(options: ProbeOptions, { network, node }: Config['identity']['flow']): Promise<Finding> {
  const name = 'Flow access node'
  if (node === undefined) return notSet(name, ['QUESTBOARD_FLOW_NODE'])
  const response = await probe(options, { url: `${node}/v1/network/parameters` })
  const read = (answer: unknown) => flowAnswer.safeParse(answer).data?.chain_id
  const expected: string = `flow-${network}`
  return judge(name, response, { setting: 'QUESTBOARD_FLOW_NODE', read, expected, host: hostOf(node) })
}

interface ExpectedNode<Id> {
  setting: FindingValue
  read: (answer: unknown) => Id | undefined
  expected: Id
  host: string
}

function judge<Id extends string | number>(
  name: string | [check: string, subject: number],
  response: ProbeResponse | FailedProbe,
  { setting, read, expected, host }: ExpectedNode<Id>,
): Finding {
  if ('failed' in response) return problem(name, 'chain.unreachable', { reason: response.failed, setting })
  const { status } = response
  const found = status === 200 ? read(response.json) : undefined
  if (status === 401 || status === 403) return problem(name, 'chain.key-refused', { host, status, setting })
  if (found === undefined) return problem(name, 'chain.not-a-node', { host, status, setting })
  if (found !== expected) return problem(name, 'chain.other', { host, found, expected, setting })
  return ok(name, 'chain.ok', { host, expected })
}

const hostOf = (url: string) => new URL(url).host
