import { createHash } from 'node:crypto'

/** The content of the image that link previews of a page show. */
export interface ShareCard {
  /** Names of the page; the first one that the font can draw is shown. */
  names: readonly string[]
  /** Texts for the line below the name; the first one that the font can draw is shown. */
  about: readonly string[]
  /** A picture next to the name, drawn from this text. */
  seed?: string
  /** The path of an uploaded picture, shown in place of the drawn one while it is public. */
  picture?: string | undefined
  /** The text in the upper corner. */
  note: string
  panels: readonly Panel[]
}

export interface Panel {
  label: string
  /** Names of a member; the first one that the font can draw is shown. */
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
