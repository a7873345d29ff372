import { crc32, deflateSync, inflateSync } from 'node:zlib'

interface Png {
  width: number
  height: number
  /** Red, green, blue and alpha of each pixel. */
  pixels: Buffer
}

const BYTES = 4

/** Decodes a PNG of 8 bits per channel with alpha and without interlacing, as the renderer writes them. */
export function decodePng(file: Buffer): Png {
  const chunks: { type: string; data: Buffer }[] = []
  for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at))
    chunks.push({
      type: file.toString('latin1', at + 4, at + 8),
      data: file.subarray(at + 8, at + 8 + file.readUInt32BE(at)),
    })
  const head = chunks[0]!.data
  if (head.toString('hex', 8, 13) !== '0806000000') throw new Error(`unexpected format ${head.toString('hex', 8, 13)}`)
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const raw = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  const row = width * BYTES
  const pixels = Buffer.alloc(row * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)]!
    for (let x = 0; x < row; x++) {
      const left = x < BYTES ? 0 : pixels[y * row + x - BYTES]!
      const up = y === 0 ? 0 : pixels[(y - 1) * row + x]!
      const corner = x < BYTES || y === 0 ? 0 : pixels[(y - 1) * row + x - BYTES]!
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!
      pixels[y * row + x] = raw[y * (row + 1) + 1 + x]! + guess
    }
  }
  return { width, height, pixels }
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(left + up - corner - one)) as [number, number, number]
  if (a <= b && a <= c) return left
  return b <= c ? up : corner
}

/** A PNG of one colour, in the format that `decodePng` reads. */
export function encodePng(width: number, height: number, colour = [0x5f, 0x3d, 0xc4, 0xff]): Buffer {
  const head = Buffer.from('0000000000000000' + '0806000000', 'hex')
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  const row = Buffer.from([0, ...Array.from({ length: width }, () => colour).flat()])
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const chunks = [chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
