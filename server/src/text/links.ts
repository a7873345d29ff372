/** A part of a text: a link that leads to `text`, or plain text. */
export interface TextPart {
  text: string
  isLink: boolean
}

const LINK = /https?:\/\/[^\s<>"]+/gi
/** A sentence can end after a link. */
const PUNCTUATION = ".,;:!?'*_"

/** Splits a text that people wrote into its links and the text around them. Only HTTP links count. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  const add = (to: number, isLink: boolean) => {
    if (to > end) parts.push({ text: text.slice(end, to), isLink })
    end = Math.max(end, to)
  }
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const link = trimLink(found)
    if (!URL.canParse(link)) continue
    add(index, false)
    add(index + link.length, true)
  }
  add(text.length, false)
  return parts
}

/** Removes punctuation at the end, and a closing bracket whose opening one is before the link. */
function trimLink(found: string): string {
  const trimmed = found.includes('(') ? PUNCTUATION : `${PUNCTUATION})`
  let end = found.length
  while (end > 0 && trimmed.includes(found.charAt(end - 1))) end--
  return found.slice(0, end)
}
