import type { ServerResponse } from 'node:http'
import { base58 } from '@scure/base'
import type { Answer } from '../../support/upstream.ts'

export const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const PROGRAMS: Record<string, string> = {
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'token',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'token-2022',
}

/** A wallet address that encodes a small number. */
export const owner = (n: number): string => base58.encode(Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n : 7)))

interface TokenAccount {
  program: string
  owner: string
  mint: string
  amount: bigint
  /** Accounts of Token-2022 can have extensions. */
  length?: number
}

/** A Solana node behind JSON-RPC (solana.com/docs/rpc). */
export interface SolanaNode {
  accounts: TokenAccount[]
  /** The error of the next call. */
  fails: { code: number; message: string } | undefined
  answer: Answer
}

type Filter = { dataSize: number } | { memcmp: { offset: number; bytes: string } }

export function solanaNode(): SolanaNode {
  const node: SolanaNode = { accounts: [], fails: undefined, answer }

  function answer({ body }: Parameters<Answer>[0], response: ServerResponse): void {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] }
    const send = (content: object) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...content }))
    if (node.fails) {
      const error = node.fails
      node.fails = undefined
      return send({ error })
    }
    if (method === 'getProgramAccounts') {
      const [program, options] = params as [
        string,
        { filters: Filter[]; dataSlice: { offset: number; length: number }; encoding: string },
      ]
      const { filters, dataSlice, encoding } = options
      const found = node.accounts
        .filter((account) => account.program === PROGRAMS[program])
        .map(bytesOf)
        .filter((bytes) => filters.every((filter) => fits(bytes, filter)))
        .map((bytes) => bytes.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length))
      return send({
        result: found.map((bytes, i) => ({
          pubkey: owner(100 + i),
          account: { data: [bytes.toString('base64'), encoding], executable: false, lamports: 2039280, owner: program },
        })),
      })
    }
    if (method === 'getTokenAccountsByOwner') {
      const [of, { mint }] = params as [string, { mint: string }]
      const found = node.accounts.filter((account) => account.owner === of && account.mint === mint)
      return send({
        result: {
          context: { apiVersion: '2.0.15', slot: 341197933 },
          value: found.map((account) => ({
            pubkey: owner(99),
            account: {
              data: {
                program: 'spl-token',
                parsed: {
                  info: {
                    isNative: false,
                    mint: account.mint,
                    owner: account.owner,
                    state: 'initialized',
                    tokenAmount: { amount: String(account.amount), decimals: 6, uiAmountString: '0' },
                  },
                  type: 'account',
                },
                space: 165,
              },
              executable: false,
            },
          })),
        },
      })
    }
    return send({ error: { code: -32601, message: 'Method not found' } })
  }
  return node
}

function bytesOf({ program, mint, owner: of, amount, length = 165 }: TokenAccount): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.set(base58.decode(mint), 0)
  bytes.set(base58.decode(of), 32)
  bytes.writeBigUInt64LE(amount, 64)
  if (program === 'token-2022' && length > 165) bytes[165] = 2
  return bytes
}

function fits(bytes: Buffer, filter: Filter): boolean {
  if ('dataSize' in filter) return bytes.length === filter.dataSize
  const { offset, bytes: wanted } = filter.memcmp
  const expected = Buffer.from(base58.decode(wanted))
  return bytes.subarray(offset, offset + expected.length).equals(expected)
}
