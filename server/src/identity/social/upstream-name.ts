import { z } from 'zod'

const MAX_NAME_LENGTH = 100

/** Control, line separator, surrogate and private-use characters, bidi controls and invisible characters. */
const unseen = /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu

/** Sanitizes a display name from another site. Returns null if nothing remains. */
export function readUpstreamName(text: string): string | null {
  const seen = text.replace(unseen, '').replace(/\s+/gu, ' ').trim()
  return [...seen].slice(0, MAX_NAME_LENGTH).join('').trimEnd() || null
}

/** Names are sanitized instead of rejected, because the subject identifies the user. */
export const upstreamNameShape = z.string().transform(readUpstreamName)
