import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'

const require = createRequire(import.meta.url)
const solc = require('solc') as {
  compile(input: string, callbacks: { import: (path: string) => { contents: string } }): string
}

interface Output {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
}

export interface Contract {
  abi: Abi
  bytecode: Hex
}

/** Compiles Solidity with the contracts of OpenZeppelin. @returns the contracts by name */
export function compile(source: string): Record<string, Contract> {
  const input = {
    language: 'Solidity',
    sources: { 'source.sol': { content: source } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  }
  const imported = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input), { import: imported })) as Output
  const faults = errors.filter(({ severity }) => severity === 'error')
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'))
  return Object.fromEntries(
    Object.entries(contracts['source.sol'] ?? {}).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` },
    ]),
  )
}
