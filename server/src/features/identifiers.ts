/**
 * Whether a text can be the id of a starboard or a quest at all (the migrations say the same). Any other text is the
 * id of none: it never reaches the database, which cannot even hold some of them (NUL).
 */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(text)
}
