/**
 * Whether a text has the format of a starboard or quest id (equal to the migrations). Other text must not reach the
 * database, which cannot store some of it (NUL).
 */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(text)
}
