import { z } from 'zod'
import { canonicalEvmAddress } from '../addresses/addresses.ts'
import { isCredentialId } from '../features/credential-id.ts'
import { parseTarget } from '../outgoing/redirects.ts'
import { parsePointer } from './json-pointer.ts'

/** How a credential's holders are found (docs/sync.md). Every setting that is not known is refused. */

const url = z
  .string()
  .max(2_000)
  .refine((text) => {
    try {
      return parseTarget(text) !== undefined
    } catch {
      return false
    }
  }, 'must be an absolute http or https URL without user name and password')
const headers = z
  .record(z.string(), z.string().max(4_000))
  .refine(
    (all) => Object.keys(all).every((name) => /^[a-z0-9-]{1,100}$/.test(name)),
    'must have header names in lower case',
  )
  .refine(
    (all) => !['host', 'content-length', 'transfer-encoding', 'connection'].some((name) => name in all),
    'must not set host, connection or lengths',
  )
  .refine((all) => Object.values(all).every((value) => /^[\t\x20-\x7e]*$/.test(value)), 'must have values in ASCII')
  .optional()
const pointer = z
  .string()
  .max(500)
  .refine((text) => parsePointer(text) !== undefined, 'must be a JSON pointer such as /data/holders, or empty')
const parameter = z.string().min(1).max(100)
const evmAddress = z.string().transform((text, context) => {
  const address = canonicalEvmAddress(text)
  if (address === undefined) context.addIssue('must be an EVM address: 0x and 40 hex digits')
  return address ?? z.NEVER
})
const units = z.string().regex(/^(0|[1-9][0-9]{0,77})$/, 'must be a whole number of base units, as a string')
const block = z.int().min(0)

const common = {
  /** Seconds between two runs. */
  everySeconds: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(3_600),
  /** The share of the present holders that a run may remove without being confirmed. */
  mostRemoved: z.number().min(0).max(1).default(0.5),
  /** The handling of an entry that is not an address of the credential's type: refuse the run, or skip the entry. */
  invalid: z.enum(['refuse', 'skip']).default('refuse'),
}
const paged = { ...common, headers, maxPages: z.int().min(1).max(100_000).default(10_000) }

const csv = z.strictObject({
  ...common,
  kind: z.literal('CSV'),
  url,
  headers,
  /** `text` is one address a line. */
  format: z.enum(['csv', 'text']).default('csv'),
  /** The column of the addresses: its name in the first line, or its place from 1 in a file without such a line. */
  column: z.union([z.string().min(1).max(200), z.int().min(1).max(1_000)]).default('address'),
  delimiter: z.string().length(1).default(','),
})

const rest = z.strictObject({
  ...paged,
  kind: z.literal('REST'),
  url,
  format: z.enum(['json', 'csv', 'text']).default('json'),
  list: pointer.default(''),
  address: pointer.default(''),
  column: z.union([z.string().min(1).max(200), z.int().min(1).max(1_000)]).default('address'),
  next: z
    .union(
      [
        z.strictObject({ page: z.strictObject({ parameter, first: z.int().min(0).default(1) }) }),
        z.strictObject({ offset: z.strictObject({ parameter }) }),
        z.strictObject({ cursor: z.strictObject({ parameter, at: pointer }) }),
        z.strictObject({ url: z.strictObject({ at: pointer }) }),
      ],
      'must be one of {"page": …}, {"offset": …}, {"cursor": …}, {"url": …} with their settings',
    )
    .optional(),
})

const graphqlShape = {
  ...paged,
  url,
  query: z.string().min(1).max(20_000),
  variables: z.record(z.string(), z.unknown()).default({}),
  /** Pointers into `data`, and from an element of the list. */
  list: pointer,
  address: pointer.default(''),
  next: z
    .union(
      [
        z.strictObject({ cursor: z.strictObject({ variable: parameter, at: pointer, more: pointer.optional() }) }),
        z.strictObject({ idGt: z.strictObject({ variable: parameter, id: pointer.default('/id') }) }),
      ],
      'must be one of {"cursor": …}, {"idGt": …} with their settings',
    )
    .optional(),
}
const graphql = z.strictObject({ ...graphqlShape, kind: z.literal('GRAPHQL') })
const subgraph = z.strictObject({ ...graphqlShape, kind: z.literal('SUBGRAPH') })

const chain = {
  ...common,
  rpcUrl: url,
  headers,
  confirmations: z.int().min(0).max(10_000).default(12),
}
const logs = { startBlock: block, maxBlockRange: z.int().min(1).max(1_000_000).default(10_000) }

const nftHolders = z.strictObject({
  ...chain,
  ...logs,
  kind: z.literal('CONTRACT_NFT_HOLDER'),
  contract: evmAddress,
  standard: z.enum(['ERC721', 'ERC1155']),
  /** Only these tokens count; all without it. */
  tokenIds: z.array(units).min(1).max(1_000).optional(),
  minimum: units.default('1'),
})

const walletBalance = z.strictObject({
  ...chain,
  kind: z.literal('WALLET_BALANCE'),
  minimum: units,
  asset: z.union(
    [
      z.strictObject({ erc20: evmAddress, ...logs }),
      /** Native balances leave no logs, so the addresses that may hold are the holders of another credential. */
      z.strictObject({
        nativeOfHoldersOf: z.string().refine(isCredentialId, 'must be the id of a credential'),
      }),
    ],
    'must be one of {"erc20": contract, "startBlock": number}, {"nativeOfHoldersOf": credential id}',
  ),
})

const api = z.strictObject({
  kind: z.literal('API'),
  /** `{address}` is replaced with the requested address. */
  url: z
    .string()
    .max(2_000)
    .refine((text) => text.includes('{address}'), 'must contain {address}')
    .refine(
      (text) => URL.canParse(text) && !/^[^/]*\/\/[^/?#]*\{address\}/.test(text),
      'must be a URL whose host is fixed',
    ),
  headers,
  /** Where the answer says true or false. */
  result: pointer.default(''),
  timeoutMilliseconds: z.int().min(100).max(10_000).default(3_000),
  cacheSeconds: z.int().min(0).max(86_400).default(300),
  /** After this many failures in a row, no request is sent for `pauseSeconds`. */
  failuresBeforePause: z.int().min(1).max(1_000).default(5),
  pauseSeconds: z.int().min(1).max(3_600).default(30),
})

export const sourceSchema = z.discriminatedUnion('kind', [csv, rest, graphql, subgraph, nftHolders, walletBalance, api])

export type Source = z.output<typeof sourceSchema>
export type ApiSource = z.output<typeof api>
/** A source whose holders are brought in by runs. */
export type ListSource = Exclude<Source, ApiSource>
export type CsvSource = z.output<typeof csv>
export type RestSource = z.output<typeof rest>
export type GraphqlSource = z.output<typeof graphql> | z.output<typeof subgraph>
export type NftHolderSource = z.output<typeof nftHolders>
export type WalletBalanceSource = z.output<typeof walletBalance>

/** A source that cannot be used; the message names each setting and what is allowed. */
export class SourceRefusedError extends Error {
  override name = 'SourceRefusedError'
}

/** What is wrong with a setting, in the words of docs/sync.md; undefined keeps the text of the schema. */
function sayIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, input } = issue
  if (code === 'invalid_type') {
    const expected = issue.expected
    return input === undefined
      ? `is missing; it must be ${TYPES[expected] ?? expected}`
      : `must be ${TYPES[expected] ?? expected}`
  }
  if (code === 'unrecognized_keys') return `has no setting ${issue.keys.map((key) => `"${key}"`).join(', ')}`
  if (code === 'invalid_value') return `must be one of ${(issue.values as unknown[]).join(', ')}`
  if (code === 'invalid_union' && issue.discriminator !== undefined)
    return `must be one of ${sourceSchema.options.map((option) => option.shape.kind.value).join(', ')}`
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' elements' : ''
  if (code === 'too_small') return `must be at least ${String(issue.minimum)}${unit}`
  if (code === 'too_big') return `must be at most ${String(issue.maximum)}${unit}`
  return undefined
}

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  boolean: 'true or false',
}

/** @throws SourceRefusedError */
export function parseSource(value: unknown): Source {
  const parsed = sourceSchema.safeParse(value, { error: sayIssue })
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || 'source'}: ${issue.message}`)
  throw new SourceRefusedError(`This source cannot be used:\n${lines.join('\n')}\nSee docs/sync.md.`)
}
