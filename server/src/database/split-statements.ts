/** Comments, quoted texts and names, and bodies of functions: a semicolon in them does not end a statement. */
const ATOMIC = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|;/g

/**
 * Splits SQL into its statements. Supports what migrations use: no nested comments, no escapes in `E'…'`, no
 * `BEGIN ATOMIC`.
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let begin = 0
  for (const match of text.matchAll(ATOMIC))
    if (match[0] === ';') {
      statements.push(text.slice(begin, match.index))
      begin = match.index + 1
    }
  statements.push(text.slice(begin))
  return statements
    .map((one) => one.trim())
    .filter((one) => one.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim() !== '')
}
