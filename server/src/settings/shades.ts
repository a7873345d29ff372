/** Lightness in Oklab of each shade, from light to dark. The last ones carry white text, the first ones are backgrounds. */
const LIGHTNESS = [0.97, 0.93, 0.87, 0.8, 0.74, 0.67, 0.61, 0.55, 0.49, 0.42]
/** Light shades have less colour. */
const CHROMA = [0.15, 0.3, 0.5, 0.7, 0.9, 1, 1, 1, 1, 0.9]
/** The shade of buttons, which have white text, and of links on white. */
export const STRONG = 8
/** The shade of links on dark backgrounds. */
export const BRIGHT = 4
const TEXT_CONTRAST = 4.5

type Triple = readonly [number, number, number]

/**
 * Ten shades of a colour such as `#5f3dc4`, from light to dark. The strong shade is the colour itself if white text on it
 * is readable.
 */
export function shadesOf(colour: string): string[] {
  const rgb = parse(colour)
  const [, a, b] = toOklab(rgb)
  const shades = LIGHTNESS.map((lightness, n) => hexOf(inGamut(lightness, a * CHROMA[n]!, b * CHROMA[n]!)))
  if (contrastWithWhite(rgb) >= TEXT_CONTRAST) shades[STRONG] = hexOf(rgb)
  return shades
}

/** The contrast of a colour with white (WCAG 2). */
export function contrastWithWhite(colour: Triple | string): number {
  const [r, g, b] = (typeof colour === 'string' ? parse(colour) : colour).map(toLinear) as unknown as Triple
  return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05)
}

const parse = (colour: string): Triple =>
  [1, 3, 5].map((place) => Number.parseInt(colour.slice(place, place + 2), 16) / 255) as unknown as Triple

const hexOf = (rgb: Triple): string =>
  `#${rgb
    .map((value) =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

const toLinear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const toGamma = (value: number): number => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)

/** https://bottosson.github.io/posts/oklab/ */
function toOklab(rgb: Triple): Triple {
  const [r, g, b] = rgb.map(toLinear) as unknown as Triple
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

function fromOklab([lightness, a, b]: Triple): Triple {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    toGamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toGamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toGamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

/** The colour of this lightness with as much of the chroma as a screen can show. */
function inGamut(lightness: number, a: number, b: number): Triple {
  for (let share = 1; share > 0; share -= 0.02) {
    const rgb = fromOklab([lightness, a * share, b * share])
    if (rgb.every((value) => value >= -0.0001 && value <= 1.0001)) return rgb.map(clamp) as unknown as Triple
  }
  return fromOklab([lightness, 0, 0]).map(clamp) as unknown as Triple
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value))
