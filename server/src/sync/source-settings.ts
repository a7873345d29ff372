import { fault, wrongFormat } from '../texts/faults.ts'
import { pattern } from '../text/fault-of-issue.ts'
import { z } from 'zod'
import { canonicalEvmAddress } from '../addresses/addresses.ts'
import { parseTarget } from '../outgoing/redirects.ts'
import { parsePointer } from './json-pointer.ts'

/** Settings that several kinds of sources have (docs/sync.md). */

export const url = z
  .string()
  .max(2_000)
  .refine(
    (text) => {
      try {
        return parseTarget(text) !== undefined
      } catch {
        return false
      }
    },
    { error: 'must be an absolute http or https URL without user name and password', params: wrongFormat('url') },
  )

export const headers = z
  .record(z.string(), z.string().max(4_000))
  .refine((all) => Object.keys(all).every((name) => /^[a-z0-9-]{1,100}$/.test(name)), {
    error: 'must have header names in lower case',
    params: wrongFormat('header_names'),
  })
  .refine((all) => !['host', 'content-length', 'transfer-encoding', 'connection'].some((name) => name in all), {
    error: 'must not set host, connection or lengths',
    params: fault('reserved_header'),
  })
  .refine((all) => Object.values(all).every((value) => /^[\t\x20-\x7e]*$/.test(value)), {
    error: 'must have values in ASCII',
    params: wrongFormat('header_values'),
  })
  .optional()

export const pointer = z
  .string()
  .max(500)
  .refine((text) => parsePointer(text) !== undefined, {
    error: 'must be a JSON pointer such as /data/holders, or empty',
    params: wrongFormat('json_pointer'),
  })

export const parameter = z.string().min(1).max(100)

/** The column of the addresses: its name in the first line, or its place from 1 in a file without such a line. */
export const column = z.union([z.string().min(1).max(200), z.int().min(1).max(1_000)]).default('address')

export const evmAddress = z.string().transform((text, context) => {
  const address = canonicalEvmAddress(text)
  if (address === undefined)
    context.addIssue({
      code: 'custom',
      message: 'must be an EVM address: 0x and 40 hex digits',
      params: wrongFormat('evm_address'),
    })
  return address ?? z.NEVER
})

export const units = z
  .string()
  .regex(pattern('base_units', /^(0|[1-9][0-9]{0,77})$/), 'must be a whole number of base units, as a string')

/** Settings of every source that lists its holders. */
export const listed = {
  /** Seconds between two runs. */
  everySeconds: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(3_600),
  /** The share of the current holders that a run may remove without confirmation. */
  mostRemoved: z.number().min(0).max(1).default(0.5),
  /** The handling of an entry that is not an address of the credential's type: refuse the run, or skip the entry. */
  invalid: z.enum(['refuse', 'skip']).default('refuse'),
}

const maxPages = z.int().min(1).max(100_000).default(10_000)
export const paged = { ...listed, headers, maxPages }

/** Settings of every source that reads a chain through a node. */
export const chain = {
  ...listed,
  rpcUrl: url,
  headers,
  confirmations: z.int().min(0).max(10_000).default(12),
}
export const logs = { startBlock: z.int().min(0), maxBlockRange: z.int().min(1).max(1_000_000).default(10_000) }

/** Settings of every source that is queried for each address. */
export const live = {
  timeoutMilliseconds: z.int().min(100).max(10_000).default(3_000),
  cacheSeconds: z.int().min(0).max(86_400).default(300),
  /** After this many failures in a row, no request is sent for `pauseSeconds`. */
  failuresBeforePause: z.int().min(1).max(1_000).default(5),
  pauseSeconds: z.int().min(1).max(3_600).default(30),
}

/** A key or token of a platform. */
export const secret = z
  .string()
  .regex(pattern('secret', /^[\x21-\x7e]{1,500}$/), 'must be 1 to 500 ASCII characters without spaces')
