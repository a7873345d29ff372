/** Fields with a comma, quotation mark or line break are in quotation marks (RFC 4180); null is empty. */
export function csvField(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A field with a text that people chose. Spreadsheets would execute a text that begins like a formula. */
export const csvText = (text: string): string => csvField(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
