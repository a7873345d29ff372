import { escapeHtml } from '../text/html.ts'

const HEIGHT = 24
const PADDING = 8
/** The mean width of a character at this size; `textLength` fits the text to the calculated width. */
const CHARACTER = 6.7
const FONT_SIZE = 12
const MAX_CHARACTERS = 40

const LABEL = '#3b4048'
const TEXT = '#ffffff'

interface Badge {
  label: string
  value: string
  /** For readers who do not see the image. */
  title: string
  /** The colour behind the value; white text must be readable on it. */
  colour: string
}

/** A badge as SVG, without fonts and scripts: a label and a value, side by side. */
export function badge({ label, value, colour, ...badge }: Badge): string {
  const [left, right] = [part(label), part(value)]
  const width = left.width + right.width
  const title = escapeHtml(badge.title)
  const text = ({ shown, length }: Part, x: number) =>
    `<text x="${x + PADDING}" y="16" textLength="${length}" lengthAdjust="spacingAndGlyphs">${shown}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="shape"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath>
<g clip-path="url(#shape)"><rect width="${left.width}" height="${HEIGHT}" fill="${LABEL}"/><rect x="${left.width}" width="${right.width}" height="${HEIGHT}" fill="${colour}"/></g>
<g fill="${TEXT}" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${FONT_SIZE}">${text(left, 0)}${text(right, left.width)}</g>
</svg>
`
}

interface Part {
  shown: string
  length: number
  width: number
}

function part(text: string): Part {
  const characters = [...text]
  const shown = characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : text
  const length = Math.round([...shown].length * CHARACTER)
  return { shown: escapeHtml(shown), length, width: length + 2 * PADDING }
}
