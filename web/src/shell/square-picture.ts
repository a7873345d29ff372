const SIDE = 192
const MAX_BYTES = 128 * 1024

/** The middle of an image file as a small square, in base64. @throws Error if the browser cannot read the file */
export async function squarePicture(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file)
  const side = Math.min(bitmap.width, bitmap.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = SIDE
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, SIDE, SIDE)
  bitmap.close()
  const png = base64Of(canvas, 'image/png')
  return png.length * 0.75 <= MAX_BYTES ? png : base64Of(canvas, 'image/jpeg')
}

const base64Of = (canvas: HTMLCanvasElement, type: string): string =>
  canvas.toDataURL(type, 0.9).replace(/^data:[^,]*,/, '')
