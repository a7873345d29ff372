import { readFonts } from './fonts.ts'
import { readGlyphWidths } from './glyph-widths.ts'

// Read from the font files for the first image.
let widths: Map<number, number> | undefined

const widthOf = (character: string): number | undefined =>
  (widths ??= new Map(
    readFonts()
      .toReversed()
      .flatMap((font) => [...readGlyphWidths(font)]),
  )).get(character.codePointAt(0) ?? 0)

/** Kerning is not counted. It makes most texts narrower, and few wider by less than this. */
const KERNING = 1.02

/** The width of a text of drawable characters, or a little more. */
export const textWidth = (text: string, fontSize: number): number =>
  [...text].reduce((sum, character) => sum + (widthOf(character) ?? 0), 0) * fontSize * KERNING

/**
 * A text with characters of the font only: symbols such as emoji are left out. Undefined if letters or digits are not in
 * the font, or none remain.
 */
export function drawable(text: string): string | undefined {
  const characters = [...text.normalize('NFC').replaceAll(/\s+/g, ' ')]
  const kept = characters.filter((character) => widthOf(character) !== undefined)
  const isLost = (character: string) =>
    /[\p{L}\p{N}\p{M}]/u.test(character) && !/\p{Variation_Selector}/u.test(character)
  if (characters.some((character) => isLost(character) && widthOf(character) === undefined)) return undefined
  const remaining = kept.join('').replaceAll(/ +/g, ' ').trim()
  return /[\p{L}\p{N}]/u.test(remaining) ? remaining : undefined
}

/** The text if it fits, or its beginning with an ellipsis. */
export function shortened(text: string, fontSize: number, width: number): string {
  if (textWidth(text, fontSize) <= width) return text
  return `${fitting(text, fontSize, width - textWidth('…', fontSize)).trimEnd()}…`
}

/** The longest beginning of a text that fits; at least one character. */
function fitting(text: string, fontSize: number, width: number): string {
  let end = 0
  let used = 0
  for (const character of text) {
    used += textWidth(character, fontSize)
    if (end > 0 && used > width) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Breaks a text into lines at spaces; the last line is shortened. A word that is longer than a line is broken. */
export function inLines(text: string, fontSize: number, width: number, maxLines: number): string[] {
  const lines: string[] = []
  let rest = text
  while (rest !== '' && lines.length < maxLines - 1 && textWidth(rest, fontSize) > width) {
    const line = beginning(rest, fontSize, width)
    lines.push(line.trimEnd())
    rest = rest.slice(line.length).trimStart()
  }
  return rest === '' ? lines : [...lines, shortened(rest, fontSize, width)]
}

/** The longest beginning of a text that fits, up to the end of a word if one fits. */
function beginning(text: string, fontSize: number, width: number): string {
  const line = fitting(text, fontSize, width)
  const space = line.lastIndexOf(' ')
  return space > 0 ? line.slice(0, space) : line
}
