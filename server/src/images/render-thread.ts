import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { FONT_FAMILY, readFonts } from './fonts.ts'
import { toTrueType } from './woff.ts'

// The thread of renderer.ts: receives SVG documents, and sends PNG files in the same order.
await initWasm(readFileSync(fileURLToPath(import.meta.resolve('@resvg/resvg-wasm/index_bg.wasm'))))
const font = { fontBuffers: readFonts().map(toTrueType), defaultFontFamily: FONT_FAMILY }

parentPort?.on('message', (svg: string) => {
  const document = new Resvg(svg, { font })
  const image = document.render()
  const png = image.asPng()
  image.free()
  document.free()
  parentPort?.postMessage(png, [png.buffer as ArrayBuffer])
})
