import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { batchKinds } from '../../../src/ingest-api/batch-kinds.ts'
import { type Draw, drawn, edited, NOISE } from './draw.ts'

/** Import files with one or two mistakes: CSV, NDJSON and lists, some of them gzipped. */
export const files: fc.Arbitrary<Buffer> = drawn((draw) => {
  const { example } = draw.pick(batchKinds)
  const lines = draw.chance(0.6) ? csv(draw, example) : ndjson(draw, example)
  const end = draw.pick(['\n', '\r\n', '\r'])
  const text = `${draw.chance(0.1) ? '\ufeff' : ''}${lines.join(end)}${draw.chance(0.5) ? end : ''}`
  const bytes = Buffer.from(draw.chance(0.5) ? edited(draw, text) : text, draw.chance(0.9) ? 'utf8' : 'latin1')
  if (!draw.chance(0.15)) return bytes
  const zipped = gzipSync(bytes, { level: 1 })
  return draw.chance(0.5) ? zipped : zipped.subarray(0, draw.upTo(zipped.length))
})

function csv(draw: Draw, example: object): string[] {
  const flat = Object.entries(example).filter(([, value]) => typeof value !== 'object')
  const names = flat.map(([name]) => (draw.chance(0.02) ? edited(draw, name) : name))
  const rows = Array.from({ length: draw.upTo(4) }, () =>
    flat.map(([, value]) => {
      const text = draw.chance(0.85) ? String(value) : draw.pick(NOISE)
      return draw.chance(0.3) ? `"${text.replaceAll('"', draw.chance(0.9) ? '""' : '"')}"` : text
    }),
  )
  return [names, ...rows].map((cells) => cells.join(','))
}

function ndjson(draw: Draw, example: object): string[] {
  return Array.from({ length: 1 + draw.upTo(3) }, () => {
    const fields = Object.entries(example).map(([name, value]: [string, unknown]) => [
      draw.chance(0.02) ? edited(draw, name) : name,
      draw.chance(0.85) ? value : draw.pick<unknown>([...NOISE, null, -1, 1.5, 1e300, [], {}, true]),
    ])
    return JSON.stringify(Object.fromEntries(fields))
  })
}
