import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  type Abi,
  concat,
  encodeFunctionData,
  encodePacked,
  getCreate2Address,
  hashMessage,
  type Hex,
  keccak256,
  pad,
  decodeFunctionResult,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { EvmNode } from './evm-node.ts'

const artifacts = join(
  dirname(createRequire(import.meta.url).resolve('@safe-global/safe-smart-account/package.json')),
  'build/artifacts/contracts',
)

interface Artifact {
  abi: Abi
  bytecode: Hex
}

function artifact(path: string): Artifact {
  return JSON.parse(readFileSync(join(artifacts, path), 'utf8')) as Artifact
}

const safe = artifact('Safe.sol/Safe.json')
const proxyFactory = artifact('proxies/SafeProxyFactory.sol/SafeProxyFactory.json')
const fallbackHandler = artifact('handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json')
const ZERO: Hex = '0x0000000000000000000000000000000000000000'

/** The published contracts of Safe on a local chain. */
export interface SafeContracts {
  factory: Hex
  /** The call that deploys a Safe, and its address. */
  plan(owners: readonly PrivateKeyAccount[], threshold: number): Promise<{ address: Hex; call: Hex }>
  /** Deploys a Safe. */
  deploy(owners: readonly PrivateKeyAccount[], threshold: number): Promise<Hex>
}

export async function startSafe(node: EvmNode): Promise<SafeContracts> {
  const singleton = await node.deploy(safe.bytecode)
  const factory = await node.deploy(proxyFactory.bytecode)
  const handler = await node.deploy(fallbackHandler.bytecode)
  const codeCall = encodeFunctionData({ abi: proxyFactory.abi, functionName: 'proxyCreationCode' })
  const creationCode = decodeFunctionResult({
    abi: proxyFactory.abi,
    functionName: 'proxyCreationCode',
    data: await node.transact(factory, codeCall),
  }) as Hex
  let nonce = 0n
  const contracts: SafeContracts = {
    factory,
    async plan(owners, threshold) {
      nonce++
      const initializer = encodeFunctionData({
        abi: safe.abi,
        functionName: 'setup',
        args: [owners.map((owner) => owner.address), threshold, ZERO, '0x', handler, ZERO, 0n, ZERO],
      })
      return {
        address: getCreate2Address({
          from: factory,
          salt: keccak256(encodePacked(['bytes32', 'uint256'], [keccak256(initializer), nonce])),
          bytecode: concat([creationCode, pad(singleton)]),
        }),
        call: encodeFunctionData({
          abi: proxyFactory.abi,
          functionName: 'createProxyWithNonce',
          args: [singleton, initializer, nonce],
        }),
      }
    },
    async deploy(owners, threshold) {
      const { address, call } = await contracts.plan(owners, threshold)
      await node.transact(factory, call)
      return address
    },
  }
  return contracts
}

/** Signs a text off chain like the owners of a Safe: EIP-712 SafeMessage of its EIP-191 hash, in the given order. */
export async function signAsSafe(
  address: Hex,
  chainId: number,
  text: string,
  owners: readonly PrivateKeyAccount[],
): Promise<Hex> {
  const signatures = await Promise.all(
    owners.map((owner) =>
      owner.signTypedData({
        domain: { chainId, verifyingContract: address },
        types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
        primaryType: 'SafeMessage',
        message: { message: hashMessage(text) },
      }),
    ),
  )
  return concat(signatures)
}

/** Sorts owners in the order that a Safe requires for signatures. */
export const inOrder = (owners: readonly PrivateKeyAccount[]) =>
  owners.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1))
