import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const FONT_FAMILY = 'Inter'
/** One weight, because the renderer takes any weight for characters that the first font does not have. */
export const FONT_WEIGHT = 600
const SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese']

/** The font of the pages, as WOFF files of its subsets. */
export const readFonts = (): Buffer[] =>
  SUBSETS.map((subset) =>
    readFileSync(
      fileURLToPath(import.meta.resolve(`@fontsource/inter/files/inter-${subset}-${FONT_WEIGHT}-normal.woff`)),
    ),
  )
