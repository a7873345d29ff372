/** A part of a text: a link that leads to `text`, or plain text. */
export interface TextPart {
  text: string
  isLink: boolean
}

/**
 * Quotation marks, square brackets and the punctuation of other scripts end a link, and so does a comma before the next
 * one.
 */
const LINK = /https?:\/\/(?:(?!,https?:)[^\s<>"`[\]„“”‚‘’«»‹›…。，、（）])+/gi
/** A sentence can end after a link. */
const PUNCTUATION = ".,;:!?'*_"

/** A URL of a page, as a regular expression that JavaScript and PostgreSQL read in the same way, ignoring case. */
export const WEB_LINK = '^https?://[^\\s/?#]+([/?#]|$)'
const webLink = new RegExp(WEB_LINK, 'i')

/** Whether a text is a link that pages show. Other schemes, such as `javascript:`, and texts are not. */
export const isWebLink = (text: string): boolean => webLink.test(text)

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

/** Removes punctuation at the end, and closing brackets whose opening ones are before the link. */
function trimLink(found: string): string {
  let unopened = found.split(')').length - found.split('(').length
  let end = found.length
  for (; end > 0; end--) {
    const last = found.charAt(end - 1)
    if (last === ')' && unopened > 0) unopened--
    else if (!PUNCTUATION.includes(last)) break
  }
  return found.slice(0, end)
}
