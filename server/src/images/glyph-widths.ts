import { readWoff } from './woff.ts'

const SEGMENTS = 4
const WINDOWS_BMP = 3 * 65_536 + 1

/** The width of the glyph of each character that a font has, in parts of the font size. */
export function readGlyphWidths(file: Buffer): Map<number, number> {
  const tables = new Map(readWoff(file).map(({ tag, data }) => [tag, data]))
  const [cmap, head, hhea, hmtx] = ['cmap', 'head', 'hhea', 'hmtx'].map((tag) => {
    const table = tables.get(tag)
    if (!table) throw new Error(`The font has no table ${tag}`)
    return table
  }) as [Buffer, Buffer, Buffer, Buffer]
  const unitsPerEm = head.readUInt16BE(18)
  const widths = hhea.readUInt16BE(34)
  return new Map(
    readGlyphs(cmap).map(([character, glyph]) => [
      character,
      hmtx.readUInt16BE(Math.min(glyph, widths - 1) * 4) / unitsPerEm,
    ]),
  )
}

/** Characters up to U+FFFF with their glyphs: the subtable of format 4, which each web font has. */
function readGlyphs(cmap: Buffer): [character: number, glyph: number][] {
  const start = Array.from({ length: cmap.readUInt16BE(2) }, (_, n) => 4 + n * 8)
    .filter((entry) => cmap.readUInt16BE(entry) * 65_536 + cmap.readUInt16BE(entry + 2) === WINDOWS_BMP)
    .map((entry) => cmap.readUInt32BE(entry + 4))
    .find((subtable) => cmap.readUInt16BE(subtable) === SEGMENTS)
  if (start === undefined) throw new Error('The font has no character map of format 4')
  const doubled = cmap.readUInt16BE(start + 6)
  const ends = start + 14
  const starts = ends + doubled + 2
  const deltas = starts + doubled
  const offsets = deltas + doubled
  const found: [number, number][] = []
  for (let segment = 0; segment < doubled; segment += 2) {
    const first = cmap.readUInt16BE(starts + segment)
    const last = cmap.readUInt16BE(ends + segment)
    const delta = cmap.readUInt16BE(deltas + segment)
    const offset = cmap.readUInt16BE(offsets + segment)
    for (let character = first; character <= last && character < 0xffff; character++) {
      const listed = offset === 0 ? character : cmap.readUInt16BE(offsets + segment + offset + (character - first) * 2)
      const glyph = listed === 0 ? 0 : (listed + delta) & 0xffff
      if (glyph !== 0) found.push([character, glyph])
    }
  }
  return found
}
