import { imageSize } from './image-size.ts'
import { ServiceError } from '../errors.ts'
import { DrawingFailed, type Renderer } from './renderer.ts'

const PICTURE_SIDE = 192
export const MIN_SIDE = 16
export const MAX_SIDE = 2048

/**
 * Draws the middle of an image as a square PNG. The PNG contains only the visible image, so it has no metadata such as
 * the place of a photo, and it cannot be a file of another format at the same time. Returns undefined if the file is
 * not such an image or cannot be decoded.
 */
export async function squarePicture(renderer: Renderer, bytes: Buffer): Promise<Buffer | undefined> {
  const size = imageSize(bytes)
  if (!size || [size.width, size.height].some((side) => side < MIN_SIDE || side > MAX_SIDE)) return undefined
  const href = `data:${size.type};base64,${bytes.toString('base64')}`
  nothing ??= await renderer.render(square(''), 'upload')
  const image = `<image width="100%" height="100%" preserveAspectRatio="xMidYMid slice" href="${href}"/>`
  const picture = await renderer.render(square(image), 'upload').catch(async (error: unknown) => {
    if (!(error instanceof ServiceError && error.cause instanceof DrawingFailed)) throw error
    // If the thread can draw, the file is the reason.
    await renderer.render(square(''), 'upload')
    return undefined
  })
  return picture?.equals(nothing) ? undefined : picture
}

/** The picture that the renderer draws for a file that it cannot decode. */
let nothing: Buffer | undefined

const square = (content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE_SIDE}" height="${PICTURE_SIDE}">${content}</svg>`
