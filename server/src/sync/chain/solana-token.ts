import { wrongFormat } from '../../texts/faults.ts'
import { z } from 'zod'
import { base58 } from '@scure/base'
import { canonicalSolanaAddress } from '../../addresses/addresses.ts'
import type { SourceContext, Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { headers, listed, units, url } from '../source-settings.ts'
import { call } from './json-rpc.ts'

const schema = z.strictObject({
  ...listed,
  kind: z.literal('SOLANA_TOKEN_HOLDER'),
  rpcUrl: url,
  headers,
  mint: z.string().refine((text) => canonicalSolanaAddress(text) === text, {
    error: 'must be the address of a mint: base58 of 32 bytes',
    params: wrongFormat('solana_address'),
  }),
  program: z.enum(['token', 'token-2022']).default('token'),
  /** In base units, over all token accounts of an owner. */
  minimum: units.default('1'),
})
type TokenSource = z.output<typeof schema>

const PROGRAMS = {
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'token-2022': 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
} as const

/** A token account: mint (32 bytes), owner (32 bytes), amount (8 bytes, little endian). */
const OWNER_AT = 32
const OWNER_LENGTH = 32
const AMOUNT_LENGTH = 8
/** Accounts of Token-2022 may be longer; the byte after the account then has this type. */
const ACCOUNT_LENGTH = 165
const ACCOUNT_TYPE = 2

const accountsShape = z.array(
  z.looseObject({ account: z.looseObject({ data: z.tuple([z.string(), z.literal('base64')]) }) }),
)
const ownedShape = z.looseObject({
  value: z.array(
    z.looseObject({
      account: z.looseObject({
        data: z.looseObject({
          parsed: z.looseObject({
            info: z.looseObject({
              mint: z.string(),
              owner: z.string(),
              tokenAmount: z.looseObject({ amount: z.string().regex(/^[0-9]{1,20}$/) }),
            }),
          }),
        }),
      }),
    }),
  ),
})

/** Owners of an SPL token or an NFT on Solana. */
export const solanaTokenHolder = sourceKind({
  schema,
  credType: 'SOLANA_ADDRESS',
  host: ({ rpcUrl }) => hostOf(rpcUrl),
  list: readOwners,
  check: ownsToken,
})

/** The node returns all token accounts of the mint in one response. */
async function readOwners(reading: Reading, source: TokenSource): Promise<void> {
  const balances = new Map<string, bigint>()
  for (const filter of accountFilters(source.program))
    for (const [owner, amount] of await readAccounts(reading, source, filter))
      balances.set(owner, (balances.get(owner) ?? 0n) + amount)
  const minimum = leastOf(source)
  await reading.give([...balances].flatMap(([owner, balance]) => (balance >= minimum ? owner : [])))
}

const PLAIN_ACCOUNT = { dataSize: ACCOUNT_LENGTH }
const EXTENDED_ACCOUNT = { memcmp: { offset: ACCOUNT_LENGTH, bytes: base58.encode(Uint8Array.of(ACCOUNT_TYPE)) } }

const accountFilters = (program: TokenSource['program']) =>
  program === 'token' ? [PLAIN_ACCOUNT] : [PLAIN_ACCOUNT, EXTENDED_ACCOUNT]

/** The owner and the amount of each token account. */
async function readAccounts(reading: Reading, source: TokenSource, filter: object): Promise<[string, bigint][]> {
  const found = await call(reading, nodeOf(source), 'getProgramAccounts', [
    PROGRAMS[source.program],
    {
      commitment: 'finalized',
      encoding: 'base64',
      dataSlice: { offset: OWNER_AT, length: OWNER_LENGTH + AMOUNT_LENGTH },
      filters: [{ memcmp: { offset: 0, bytes: source.mint } }, filter],
    },
  ])
  const parsed = accountsShape.safeParse(found)
  if (!parsed.success) throw new SourceError(`${hostOf(source.rpcUrl)} returned no list of token accounts`)
  return parsed.data.map(({ account }) => {
    const bytes = Buffer.from(account.data[0], 'base64')
    if (bytes.length !== OWNER_LENGTH + AMOUNT_LENGTH)
      throw new SourceError(`${hostOf(source.rpcUrl)} returned a token account of another length`)
    return [base58.encode(bytes.subarray(0, OWNER_LENGTH)), bytes.readBigUInt64LE(OWNER_LENGTH)]
  })
}

async function ownsToken(context: SourceContext, source: TokenSource, holder: string): Promise<boolean> {
  const { mint } = source
  const found = await call(context, nodeOf(source), 'getTokenAccountsByOwner', [
    holder,
    { mint },
    { commitment: 'finalized', encoding: 'jsonParsed' },
  ])
  const parsed = ownedShape.safeParse(found)
  if (!parsed.success) throw new SourceError(`${hostOf(source.rpcUrl)} returned no token accounts`)
  const own = parsed.data.value
    .map(({ account }) => account.data.parsed.info)
    .filter((info) => info.owner === holder && info.mint === mint)
  return own.reduce((sum, { tokenAmount }) => sum + BigInt(tokenAmount.amount), 0n) >= leastOf(source)
}

const nodeOf = ({ rpcUrl, headers: sent }: TokenSource) => ({ url: rpcUrl, headers: sent })

/** A minimum of zero would include every address. */
const leastOf = ({ minimum }: TokenSource): bigint => (minimum === '0' ? 1n : BigInt(minimum))
