import { invalidRequest } from './errors.ts'

const string = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`
const opening = /\s*\{\s*/y
const member = new RegExp(`(${string})\\s*:\\s*(${string}|null)\\s*([,}])\\s*`, 'y')

/**
 * Reads a JSON object whose values are strings; null counts as empty. Keeps repeated keys, so that the caller can refuse
 * them; JSON.parse would drop them. @throws OauthError invalid_request
 */
export function readFlatJson(text: string): [string, string][] {
  const malformed = () => invalidRequest('The body must be a JSON object whose values are strings')
  opening.lastIndex = 0
  if (!opening.test(text)) throw malformed()
  let position = opening.lastIndex
  const pairs: [string, string][] = []
  if (/^\}\s*$/.test(text.slice(position))) return pairs
  for (;;) {
    member.lastIndex = position
    const match = member.exec(text)
    if (!match) throw malformed()
    position = member.lastIndex
    const value = match[2] === 'null' ? '' : (JSON.parse(match[2] as string) as string)
    pairs.push([JSON.parse(match[1] as string) as string, value])
    if (match[3] === '}') break
  }
  if (position !== text.length) throw malformed()
  return pairs
}
