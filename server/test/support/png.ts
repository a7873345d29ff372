import { inflateSync } from 'node:zlib'

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
