import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Kysely } from 'kysely'
import type { DB } from '../database/tables.ts'
import { readEntryChunks } from './contents.queries.ts'
import { ENTRIES_PER_CHUNK, unpackEntries } from './entries.ts'
import { type Format, type FormatName, formats } from './formats.ts'
import { snapshotNotFound } from './snapshot-error.ts'
import type { Snapshot } from './snapshots.queries.ts'

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
