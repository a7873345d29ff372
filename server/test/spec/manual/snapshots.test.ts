import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { importRecords } from '../../../src/ingest/import-records.ts'
import { createServices } from '../../../src/services.ts'
import { proveMember } from '../../../src/snapshots/proof.ts'
import { previewSnapshot, sealSnapshot } from '../../../src/snapshots/snapshots.ts'
import type { Snapshot } from '../../../src/snapshots/snapshots.queries.ts'
import { stateMember, type Statement } from '../../../src/snapshots/statements.ts'
import { type EvmNode, startEvmNode } from '../../identity/upstreams/evm-node.ts'
import { blocksOf, root } from './blocks.ts'
import { startService, type TestService } from '../../support/service.ts'
import { evmAddress, noNote } from '../../snapshots/arrange.ts'
import { compile, type Contract } from '../../snapshots/solidity.ts'

const key = generatePrivateKey()
const signer = privateKeyToAccount(key).address
const TOKEN: Hex = '0x0000000000000000000000000000000000000001'
const members = Array.from({ length: 300 }, (_, n) => ({ spaceId: 40, address: evmAddress(n), points: n % 100 }))
const A = evmAddress(7)

/** Inside of the checkout, so that imports find the packages. */
function temporaryFolder(): string {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  return mkdtempSync(join(cache, 'snapshot-docs-'))
}

let service: TestService
let node: EvmNode
let snapshot: Snapshot
const folder = temporaryFolder()
beforeAll(async () => {
  const settings = { QUESTBOARD_SECRET: 'a secret of at least thirty-two characters', QUESTBOARD_STATEMENT_KEY: key }
  service = await startService({ settings })
  node = await startEvmNode(1)
  await importRecords(service.deps, 'spaces', [{ spaceId: 40, name: 'Forty' }])
  await importRecords(service.deps, 'points', members)
  const { source } = await previewSnapshot(service.deps, { spaceId: 40, isPublic: true })
  snapshot = await sealSnapshot(service.deps, source, { request: { isPublic: true }, note: noNote })
  vi.stubEnv('QUESTBOARD_URL', service.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await Promise.all([node.close(), service.stop()])
})

const solidity = (file: string) => compile(blocksOf(file).find(({ language }) => language === 'solidity')?.text ?? '')

async function load<Module>(file: string): Promise<Module> {
  const path = join(folder, `${file.replaceAll('/', '-')}.ts`)
  const text = blocksOf(file).find(({ language }) => language === 'ts')?.text ?? ''
  writeFileSync(path, text.replace('https://questboard.example', service.url))
  return (await import(path)) as Module
}

/** Deploys a contract. @returns a function that calls it */
async function deployed(contract: Contract | undefined, args: unknown[]) {
  const { abi, bytecode } = contract as Contract
  const address = await node.deploy(encodeDeployData({ abi, bytecode, args }))
  return async (functionName: string, values: unknown[]) =>
    decodeFunctionResult({
      abi,
      functionName,
      data: await node.transact(address, encodeFunctionData({ abi, functionName, args: values })),
    })
}

describe('docs/guides/airdrop.md', () => {
  it('has a contract that accepts the proofs of all members, and no others', async () => {
    const call = await deployed(solidity('docs/guides/airdrop.md').Airdrop, [TOKEN, snapshot.root])
    for (const { address, points } of members) {
      const { proof } = await proveMember(service.database.kysely, snapshot, address)
      expect(await call('isMember', [address, BigInt(points), proof])).toBe(true)
    }
    const { proof } = await proveMember(service.database.kysely, snapshot, A)
    expect(await call('isMember', [A, 8n, proof])).toBe(false)
    expect(await call('isMember', [evmAddress(8), 7n, proof])).toBe(false)
    expect(await call('isMember', [A, 7n, proof.slice(1)])).toBe(false)
  })

  it('has code that reads a proof', async () => {
    const { proofOf } = await load<{ proofOf: (id: string, address: string) => Promise<unknown> }>(
      'docs/guides/airdrop.md',
    )
    expect(await proofOf(snapshot.id, A)).toMatchObject({ address: A, amount: '7' })
    expect(await proofOf(snapshot.id, evmAddress(9_999))).toBeUndefined()
  })
})

describe('docs/snapshots.md', () => {
  const state = () => stateMember(createServices(service.deps), snapshot, A)
  const structOf = ({ eip712 }: Statement) => {
    const { account, ...numbers } = eip712?.message ?? {}
    return { account, ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, BigInt(value)])) }
  }

  it('has a contract that accepts the signed statement, and no other', async () => {
    const call = await deployed(solidity('docs/snapshots.md').RankGate, [signer])
    const statement = await state()
    const struct = structOf(statement)
    expect(await call('isSigned', [struct, statement.eip712?.signature])).toBe(true)
    expect(await call('isSigned', [{ ...struct, points: 8n }, statement.eip712?.signature])).toBe(false)
    const other = await deployed(solidity('docs/snapshots.md').RankGate, [TOKEN])
    expect(await other('isSigned', [struct, statement.eip712?.signature])).toBe(false)
  })

  it('has code that verifies statements', async () => {
    vi.setSystemTime(service.clock.now())
    const code = await load<{
      readStatement: (id: string, address: string) => Promise<Statement>
      verifyJwt: (jwt: string, issuer: string) => Promise<Record<string, unknown>>
      verifySignature: (statement: Statement, signer: Hex) => Promise<boolean>
    }>('docs/snapshots.md')
    const statement = await code.readStatement(snapshot.id, A)
    const { issuer } = createServices(service.deps).site
    expect(await code.verifyJwt(statement.jwt, issuer)).toMatchObject({ sub: A, space: '40', points: 7 })
    expect(await code.verifySignature(statement, signer)).toBe(true)
    expect(await code.verifySignature(statement, TOKEN)).toBe(false)
    vi.useRealTimers()
  })
})
