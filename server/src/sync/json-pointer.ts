/** A JSON pointer (RFC 6901), split into its steps. The empty pointer is the whole document. */
export type JsonPointer = readonly string[]

/** Undefined if the text is not a JSON pointer. */
export function parsePointer(text: string): JsonPointer | undefined {
  if (text === '') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The value at a pointer; undefined if the document has none there. */
export function valueAt(document: unknown, pointer: JsonPointer): unknown {
  let at = document
  for (const step of pointer) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}
