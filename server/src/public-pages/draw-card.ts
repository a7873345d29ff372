import { FONT_FAMILY, FONT_WEIGHT } from '../images/fonts.ts'
import { drawable, inLines, shortened, textWidth } from '../images/text-width.ts'
import type { Brand, Logo } from '../settings/brand.ts'
import { shadesOf } from '../settings/shades.ts'
import { html, type Html } from '../text/html.ts'
import { picture } from './parts.ts'
import type { Panel, ShareCard } from './share-card.ts'

export const SHARE_WIDTH = 1200
export const SHARE_HEIGHT = 630

const MARGIN = 64
const GAP = 20
const PANEL_TOP = 398
const PANEL_HEIGHT = 168
const PADDING = 20
const TILE = 76
const BODY = SHARE_WIDTH - 2 * MARGIN
const NAME_SIZES = [76, 64, 52]
const MAX_NAME_LINES = 2
const COLOUR = '#5f3dc4'

export interface CardBrand {
  brand: Pick<Brand, 'name' | 'accent'>
  /** Shown if the font cannot draw the name. */
  host: string
  /** Undefined if none is drawn. */
  logo: Logo | undefined
  /** Uploaded pictures by path, PNG files. */
  pictures: ReadonlyMap<string, Buffer>
}

/** The image of a page as an SVG document. A text that is too long is made smaller, then shortened. */
export function drawCard(card: ShareCard, { brand, host, logo, pictures }: CardBrand): string {
  const shades = brand.accent?.shades ?? shadesOf(COLOUR)
  const note = text(card.note, { x: SHARE_WIDTH - MARGIN, y: 104, size: 28, width: BODY / 2, anchor: 'end' })
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${SHARE_WIDTH}"
    height="${SHARE_HEIGHT}"
    font-family="${FONT_FAMILY}"
    font-weight="${FONT_WEIGHT}"
    fill="#fff"
  >
    <linearGradient id="ground" x2="1" y2="1">
      <stop offset="0" stop-color="${brand.accent?.onLight ?? shades[8]}" />
      <stop offset="1" stop-color="${shades[9]}" />
    </linearGradient>
    <rect width="${SHARE_WIDTH}" height="${SHARE_HEIGHT}" fill="url(#ground)" />
    <rect width="${SHARE_WIDTH}" height="${SHARE_HEIGHT}" fill="#000" opacity="0.25" />
    ${logo && logoTile(logo)}
    ${text(drawable(brand.name) ?? host, { x: MARGIN + (logo ? 88 : 0), y: 106, size: 34, width: BODY / 2 - 88 })}
    ${note} ${heading(card, pictures)} ${card.panels.map((panel, n) => panelAt(panel, n, card.panels.length, pictures))}
  </svg>`.text
}

const logoTile = ({ type, bytes }: Logo): Html =>
  html`<rect x="${MARGIN}" y="60" width="68" height="68" rx="16" fill="#fff" />
    <image x="${MARGIN + 6}" y="66" width="56" height="56" href="data:${type};base64,${bytes.toString('base64')}" />`

function heading({ names, about, seed, picture: path }: ShareCard, pictures: CardBrand['pictures']): Html {
  const x = seed === undefined ? MARGIN : MARGIN + 172
  const width = SHARE_WIDTH - MARGIN - x
  const name = firstDrawable(names)
  const size = NAME_SIZES.find((one) => textWidth(name, one) <= width) ?? NAME_SIZES.at(-1)!
  const lines = inLines(name, size, width, MAX_NAME_LINES)
  const top = lines.length === 1 ? 256 : 226
  const below = about.length === 0 ? '' : firstDrawable(about)
  return html`${seed === undefined ? undefined : tile(seed, [MARGIN, 186, 144], pictures.get(path ?? ''))}
  ${lines.map((line, n) => text(line, { x, y: top + n * size * 1.15, size, width }))}
  ${text(below, { x, y: top + (lines.length - 1) * size * 1.15 + 56, size: 34, width, opacity: 0.9 })}`
}

function panelAt(
  { label, names, seed, picture: path, value }: Panel,
  n: number,
  count: number,
  pictures: CardBrand['pictures'],
): Html {
  const width = (BODY - GAP * (count - 1)) / count
  const left = MARGIN + n * (width + GAP)
  const x = left + PADDING + (seed === undefined ? 0 : TILE + 16)
  const room = left + width - PADDING - x
  const at = { x, width: room }
  return html`<rect
      x="${left}"
      y="${PANEL_TOP}"
      width="${width}"
      height="${PANEL_HEIGHT}"
      rx="20"
      fill="#fff"
      opacity="0.16"
    />
    ${seed === undefined ? undefined : tile(seed, [left + PADDING, PANEL_TOP + (PANEL_HEIGHT - TILE) / 2, TILE], pictures.get(path ?? ''))}
    ${text(label, { ...at, y: PANEL_TOP + 48, size: 24, opacity: 0.9 })}
    ${names === undefined ? undefined : text(firstDrawable(names), { ...at, y: PANEL_TOP + 90, size: 28 })}
    ${text(value, { ...at, y: PANEL_TOP + 136, size: names === undefined ? 52 : 34, smallest: 18 })}`
}

/** The picture of a member, or the logo of a space, on a white tile: the uploaded one, or one drawn from `seed`. */
const tile = (seed: string, [x, y, size]: [x: number, y: number, size: number], uploaded: Buffer | undefined): Html =>
  html`<rect x="${x}" y="${y}" width="${size}" height="${size}" rx="${size / 5}" fill="#fff" /> ${
      uploaded === undefined
        ? html`<g transform="translate(${x} ${y})">${picture(seed, size)}</g>`
        : html`<clipPath id="tile-${x}"
              ><rect x="${x}" y="${y}" width="${size}" height="${size}" rx="${size / 5}"
            /></clipPath>
            <image
              clip-path="url(#tile-${x})"
              x="${x}"
              y="${y}"
              width="${size}"
              height="${size}"
              href="data:image/png;base64,${uploaded.toString('base64')}"
            />`
    }`

const firstDrawable = (names: readonly string[]): string => names.map(drawable).find((name) => name !== undefined) ?? ''

interface TextLayout {
  x: number
  y: number
  size: number
  width: number
  /** The text is shortened if it does not fit in this size; default: 85 % of the size. */
  smallest?: number
  anchor?: 'start' | 'end'
  opacity?: number
}

function text(
  shown: string,
  { x, y, size, width, smallest = size * 0.85, anchor = 'start', opacity = 1 }: TextLayout,
): Html {
  const fitting = Math.max(smallest, Math.min(size, Math.floor((size * width) / textWidth(shown, size))))
  const line = shortened(shown, fitting, width)
  return shown === ''
    ? html``
    : html`<text x="${x}" y="${y}" font-size="${fitting}" text-anchor="${anchor}" opacity="${opacity}">${line}</text>`
}
