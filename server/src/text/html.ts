/** Text that is already HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | undefined | readonly Html[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

// A name must not reorder the text around it.
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Escapes a text for HTML, also inside a quoted attribute, and removes direction controls. */
export const escapeHtml = (text: string): string =>
  text.replace(DIRECTION_CONTROLS, '').replace(/[&<>"']/g, (character) => ENTITIES[character] as string)

/** A template of HTML. Values are escaped, except those that are HTML; undefined is left out. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, string, n) => text + textOf(parts[n - 1]) + string))
}

function textOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return escapeHtml(String(part))
}
