interface ImageSize {
  type: 'image/png' | 'image/jpeg'
  width: number
  height: number
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const PNG_SIZE = PNG.length + 8

/** Reads type and size of a PNG or JPEG image from its header, before anything decodes it. Undefined for other data. */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length >= PNG_SIZE && bytes.subarray(0, PNG.length).equals(PNG))
    return { type: 'image/png', width: bytes.readUInt32BE(PNG.length), height: bytes.readUInt32BE(PNG.length + 4) }
  return bytes.subarray(0, 3).toString('hex') === 'ffd8ff' ? jpegSize(bytes) : undefined
}

/** The markers that begin a frame, which has the size: C0 to CF without tables (C4, CC) and the extension C8. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
const FRAME = 9

/** Fill bytes, and markers without a length. A decoder may skip them, and would then find another frame. */
const hasNoLength = (marker: number) => marker === 0xff || marker <= 1 || (marker >= 0xd0 && marker <= 0xd9)

function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; at + FRAME <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!
    const length = bytes.readUInt16BE(at + 2)
    if (hasNoLength(marker) || length < 2) return undefined
    if (isFrame(marker))
      return { type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + length
  }
  return undefined
}
