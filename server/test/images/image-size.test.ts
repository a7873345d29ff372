import { expect, test } from 'vitest'
import { imageSize } from '../../src/images/image-size.ts'
import { encodePng } from '../support/png.ts'

const frame = (width: number, height: number) => {
  const bytes = Buffer.from('ffc0001108000000000301220002110103110100', 'hex')
  bytes.writeUInt16BE(height, 5)
  bytes.writeUInt16BE(width, 7)
  return bytes
}
const start = Buffer.from('ffd8', 'hex')
const comment = Buffer.from('fffe000461620000', 'hex').subarray(0, 6)

test('reads the size of a PNG, and of a JPEG behind other segments', () => {
  expect(imageSize(encodePng(20, 30))).toEqual({ type: 'image/png', width: 20, height: 30 })
  expect(imageSize(Buffer.concat([start, comment, frame(20, 30)]))).toEqual({
    type: 'image/jpeg',
    width: 20,
    height: 30,
  })
})

test.each([
  ['a fill byte before a frame', Buffer.concat([start, Buffer.from('ff', 'hex'), frame(16_384, 16_384)])],
  ['a marker without a length', Buffer.concat([start, Buffer.from('ffd0', 'hex'), frame(20, 30)])],
  ['a segment that is shorter than its length', Buffer.concat([start, Buffer.from('fffe0001', 'hex'), frame(20, 30)])],
  ['no frame', Buffer.concat([start, comment])],
  ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
])('reads no size from a file with %s', (_, bytes) => {
  expect(imageSize(bytes)).toBeUndefined()
})
