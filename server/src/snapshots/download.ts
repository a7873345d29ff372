import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { invalidField } from '../errors.ts'
import { readEntryChunks } from './contents.queries.ts'
import { CSV_HEAD, csvLine } from './csv.ts'
import { ENTRIES_PER_CHUNK, type RankedEntry, unpackEntries } from './entries.ts'
import { snapshotNotFound } from './snapshot-error.ts'
import type { Snapshot } from './snapshots.queries.ts'
import { fault } from '../texts/faults.ts'

interface Format {
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

export const formats = {
  csv: {
    ...CSV,
    description: 'rank, address and points; its SHA-256 is the digest',
    head: CSV_HEAD,
    line: csvLine,
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

const CHUNKS_PER_READ = 8

/** The file of a sealed snapshot, in pieces. @throws SnapshotError if the snapshot is deleted during the download */
export async function* download(
  kysely: Kysely<DB>,
  { id, members }: Pick<Snapshot, 'id' | 'members'>,
  name: FormatName,
): AsyncGenerator<string> {
  const { head, line }: Format = formats[name]
  if (head !== '') yield head
  const chunks = Math.ceil((members ?? 0) / ENTRIES_PER_CHUNK)
  for (let from = 0; from < chunks; from += CHUNKS_PER_READ) {
    const read = await readEntryChunks(kysely, id, from, CHUNKS_PER_READ)
    if (read.length < Math.min(CHUNKS_PER_READ, chunks - from)) throw snapshotNotFound(id)
    for (const { chunk, firstRank, entries } of read) {
      let text = ''
      for (const entry of unpackEntries(entries, chunk, firstRank)) text += line(entry) ?? ''
      if (text !== '') yield text
    }
  }
}

export const fileName = ({ id }: Pick<Snapshot, 'id'>, name: FormatName): string =>
  `snapshot-${id}${name === 'csv' || name === 'ndjson' ? '' : `-${name}`}.${formats[name].extension}`

export const sendFile = (reply: FastifyReply, kysely: Kysely<DB>, snapshot: Snapshot, name: FormatName): FastifyReply =>
  reply
    .type(formats[name].mediaType)
    .header('content-disposition', `attachment; filename="${fileName(snapshot, name)}"`)
    .send(Readable.from(download(kysely, snapshot, name)))
