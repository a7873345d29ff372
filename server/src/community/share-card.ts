import { createHash } from 'node:crypto'

/** What the image of a page shows to people who see a link to the page. */
export interface ShareCard {
  /** Names of the page; the first one that the font can draw is shown. */
  names: readonly string[]
  /** Below the name, likewise. */
  about: readonly string[]
  /** A picture next to the name, drawn from this text. */
  seed?: string
  /** The path of an uploaded picture, shown in place of the drawn one while it is public. */
  picture?: string | undefined
  /** In the upper corner. */
  note: string
  panels: readonly Panel[]
}

export interface Panel {
  label: string
  /** Likewise, the first one that the font can draw. */
  names?: readonly string[]
  seed?: string
  picture?: string | undefined
  value: string
}

/** The names of the page as one line, for readers who do not see the image. */
export const describeCard = ({ names: [name = ''], about: [about], note, panels }: ShareCard): string =>
  [
    about === undefined ? name : `${name}, ${about}`,
    ...panels.map(({ label, names, value }) => [label, names?.[0], value].filter(Boolean).join(' ')),
    note,
  ]
    .filter((part) => part !== '')
    .join('. ')

/** Changes with the content of the image, because social networks keep an image for as long as its address is the same. */
export const cardVersion = (card: ShareCard): string =>
  createHash('sha256').update(JSON.stringify(card)).digest('base64url').slice(0, 12)
