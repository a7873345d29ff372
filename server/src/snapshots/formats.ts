import { invalidField } from '../errors.ts'
import { csvField } from '../text/csv.ts'
import { fault } from '../texts/faults.ts'
import type { RankedEntry } from './entries.ts'

export interface Format {
  description: string
  mediaType: string
  extension: string
  head: string
  /** Undefined for entries that the format leaves out. */
  line: (entry: RankedEntry) => string | undefined
}

const CSV = { mediaType: 'text/csv; charset=utf-8', extension: 'csv' }

/** Airdrop tools take EVM addresses and positive amounts. */
const amountLine = ({ address, points }: RankedEntry) =>
  points > 0 && /^0x[0-9a-f]{40}$/.test(address) ? `${address},${points}\n` : undefined

/** The files that a snapshot can be downloaded as. The SHA-256 of the format `csv` is its digest. */
export const formats = {
  csv: {
    ...CSV,
    description: 'rank, address and points; its SHA-256 is the digest',
    head: 'rank,address,points\n',
    line: ({ rank, address, points }) => `${rank},${csvField(address)},${points}\n`,
  },
  ndjson: {
    description: 'one JSON object a line: rank, address, points',
    mediaType: 'application/x-ndjson',
    extension: 'ndjson',
    head: '',
    line: ({ rank, address, points }) => `${JSON.stringify({ rank, address, points })}\n`,
  },
  airdrop: {
    ...CSV,
    description: 'for airdrop tools: address and amount, with a header; only EVM addresses with points',
    head: 'address,amount\n',
    line: amountLine,
  },
  disperse: {
    ...CSV,
    description: 'the same without a header',
    head: '',
    line: amountLine,
  },
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof formats
export const formatNames = Object.keys(formats) as FormatName[]

/** Reads a format of a query. @throws ApiError */
export function readFormat(format: unknown): FormatName {
  const found = formatNames.find((name) => name === (format ?? 'csv'))
  if (!found)
    throw invalidField(
      'format',
      `must be one of ${formatNames.join(', ')}`,
      fault('not_one_of', { allowed: formatNames }),
    )
  return found
}
