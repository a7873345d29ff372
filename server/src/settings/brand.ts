import { z } from 'zod'
import { DEFAULT_DESCRIPTION } from '../texts/en.ts'
import { BRIGHT, shadesOf, STRONG } from './shades.ts'

/** The name, colours and logo of an installation on its pages. */
export interface Brand {
  name: string
  description: string
  /** Undefined if the pages have the colours of the software. */
  accent: Accent | undefined
  /** Undefined for the logo of the software. */
  logo: Logo | undefined
}

export interface Accent {
  /** From light to dark. */
  shades: readonly string[]
  /** For links and buttons on light and on dark pages. */
  onLight: string
  onDark: string
}

export interface Logo {
  type: string
  bytes: Buffer
}

const MAX_NAME = 40
const MAX_DESCRIPTION = 300
const MAX_LOGO_BYTES = 256 * 1024
const IMAGE_URL = /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+=*)$/
// The logo is shown as an image, where scripts do not run. The rest is a mistake or an attempt at something else.
const FOREIGN =
  /<script|<foreignObject|\son\w+\s*=|(?:href|src)\s*=\s*["']\s*(?!#|data:image\/)|<!ENTITY|url\(\s*["']?\s*(?!#|["'])/i

const line = (max: number) =>
  z
    .string()
    .max(max, `must have at most ${max} characters`)
    .regex(/^[^\u0000-\u001f\u007f]*\S[^\u0000-\u001f\u007f]*$/, 'must be one line of text')
    .transform((text) => text.trim())

/** Settings of the appearance; part of the table in config.ts. */
export const brandSettings = {
  QUESTBOARD_NAME: line(MAX_NAME)
    .default('Questboard')
    .describe('Name of the installation, in pages, sign-in messages of wallets and mails.'),
  QUESTBOARD_DESCRIPTION: line(MAX_DESCRIPTION)
    .default(DEFAULT_DESCRIPTION)
    .describe('One sentence below the name on the home page, and the description for search engines.'),
  QUESTBOARD_ACCENT: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #5f3dc4')
    .optional()
    .describe('Colour of links and buttons, such as `#0b7285`. The pages use readable shades of it. Default: violet.'),
  QUESTBOARD_LOGO: z
    .string()
    .transform((text, context) => {
      const logo = readLogo(text)
      if (typeof logo !== 'string') return logo
      context.addIssue({ code: 'custom', message: logo })
      return z.NEVER
    })
    .optional()
    .describe(
      'Square logo: SVG, usually from a file with `QUESTBOARD_LOGO_FILE`, or a data: URL of a PNG, JPEG or WebP image. At most 256 KiB.',
    ),
}

type BrandSettings = z.infer<z.ZodObject<typeof brandSettings>>

export function brandOf(settings: BrandSettings): Brand {
  const shades = settings.QUESTBOARD_ACCENT === undefined ? undefined : shadesOf(settings.QUESTBOARD_ACCENT)
  return {
    name: settings.QUESTBOARD_NAME,
    description: settings.QUESTBOARD_DESCRIPTION,
    accent: shades && { shades, onLight: shades[STRONG]!, onDark: shades[BRIGHT]! },
    logo: settings.QUESTBOARD_LOGO,
  }
}

/** The name in messages that wallets show and sign. EIP-4361 allows only these characters there. */
export const signInName = ({ name }: Brand): string =>
  /^[A-Za-z0-9 ._~:/?#@!$&'()*+,;=[\]-]+$/.test(name) ? name : 'this site'

export const logoPath = ({ logo }: Brand): string => (logo ? '/logo' : '/assets/icon.svg')

/** @returns the reason if the text is not a logo */
function readLogo(text: string): Logo | string {
  if (Buffer.byteLength(text) > MAX_LOGO_BYTES) return 'must have at most 256 KiB'
  const [, type, base64] = IMAGE_URL.exec(text.trim()) ?? []
  if (type !== undefined && base64 !== undefined) return { type, bytes: Buffer.from(base64, 'base64') }
  if (!/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/i.test(text))
    return 'must be an SVG document, or a data: URL of a PNG, JPEG or WebP image'
  if (!/xmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/.test(text))
    return 'must have xmlns="http://www.w3.org/2000/svg" on its <svg> element'
  if (FOREIGN.test(text.replace(/xmlns(?::\w+)?\s*=\s*["'][^"']*["']/g, '')))
    return 'must be an SVG document without scripts and references to other files'
  return { type: 'image/svg+xml', bytes: Buffer.from(text) }
}
