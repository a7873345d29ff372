import { z } from 'zod'

const MOST_CHARACTERS = 100

/** Controls, line ends, lone surrogates, private use, and what is not seen or turns the direction of the text around it. */
const unseen = /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu

/** A name that another site calls its user by, fit to be stored and to stand on a page: null when nothing of it is left. */
export function readUpstreamName(text: string): string | null {
  const seen = text.replace(unseen, '').replace(/\s+/gu, ' ').trim()
  return [...seen].slice(0, MOST_CHARACTERS).join('').trimEnd() || null
}

/** A name is not what a user is known by, so a strange one is mended and refuses nobody. */
export const upstreamNameShape = z.string().transform(readUpstreamName)
