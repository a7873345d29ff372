import { wrongFormat } from '../texts/faults.ts'
import { pattern } from '../text/fault-of-issue.ts'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { invalidField } from '../errors.ts'
import type { Renderer } from './renderer.ts'
import { MAX_SIDE, MIN_SIDE, squarePicture } from './square-picture.ts'

const MAX_BYTES = 128 * 1024
const MAX_TEXT = Math.ceil(MAX_BYTES / 3) * 4
const ALLOWED = `must be a PNG or JPEG image of at most ${MAX_BYTES / 1024} KiB in base64, with ${MIN_SIDE} to ${MAX_SIDE} pixels on each side`

/** The body of a request that uploads an image. */
export const imageUploadShape = z.strictObject({
  image: z
    .string(ALLOWED)
    .max(MAX_TEXT, ALLOWED)
    .regex(pattern('image', /^[A-Za-z0-9+/]+={0,2}$/), ALLOWED)
    .describe('the image in base64'),
})

/** An uploaded image as a square PNG file. */
export interface UploadedImage {
  picture: Buffer
  /** Changes with the picture. */
  version: string
}

/** Draws an uploaded image again (`squarePicture`). @throws ApiError if `image` is no such image */
export async function readUploadedImage(renderer: Renderer, image: string): Promise<UploadedImage> {
  const picture = await squarePicture(renderer, Buffer.from(image, 'base64'))
  if (!picture) throw invalidField('image', ALLOWED, wrongFormat('image'))
  return { picture, version: versionOf(picture) }
}

/** The version of a stored picture. */
export const versionOf = (picture: Buffer): string => createHash('sha256').update(picture).digest('hex').slice(0, 12)
