import { inflateSync } from 'node:zlib'

const HEADER = 44
const ENTRY = 20
const SFNT_HEADER = 12
const SFNT_ENTRY = 16

interface Table {
  tag: string
  checksum: number
  data: Buffer
}

/** The tables of a font file in the format WOFF 1.0. */
export function readWoff(file: Buffer): Table[] {
  return Array.from({ length: file.readUInt16BE(12) }, (_, n) => {
    const entry = HEADER + n * ENTRY
    const start = file.readUInt32BE(entry + 4)
    const stored = file.subarray(start, start + file.readUInt32BE(entry + 8))
    return {
      tag: file.toString('latin1', entry, entry + 4),
      checksum: file.readUInt32BE(entry + 16),
      data: stored.length === file.readUInt32BE(entry + 12) ? stored : inflateSync(stored),
    }
  })
}

/** The same font as a TrueType file, because the renderer reads no WOFF 1.0. */
export function toTrueType(file: Buffer): Buffer {
  const tables = readWoff(file)
  const head = Buffer.alloc(SFNT_HEADER + tables.length * SFNT_ENTRY)
  file.copy(head, 0, 4, 8)
  head.writeUInt16BE(tables.length, 4)
  const parts: Buffer[] = [head]
  let start = head.length
  for (const [n, { tag, checksum, data }] of tables.entries()) {
    const entry = SFNT_HEADER + n * SFNT_ENTRY
    head.write(tag, entry, 'latin1')
    head.writeUInt32BE(checksum, entry + 4)
    head.writeUInt32BE(start, entry + 8)
    head.writeUInt32BE(data.length, entry + 12)
    const padding = -data.length & 3
    parts.push(data, Buffer.alloc(padding))
    start += data.length + padding
  }
  return Buffer.concat(parts)
}
