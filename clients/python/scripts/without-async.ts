import { HEADER } from './python-text.ts'

const WORDS: ReadonlyArray<[RegExp, string]> = [
  [/\bAsyncGenerator\[(\w+(?:\[[^[\]]+\])?), None\]/g, 'Generator[$1, None, None]'],
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bAwaitable, /g, ''],
  [/\bAwaitable\[([^[\]]+)\]/g, '$1'],
  [/\bAsync(?=[A-Z])/g, ''],
  [/__a(enter|exit|iter|next)__/g, '__$1__'],
  [/\banext\b/g, 'next'],
  [/\baclose\b/g, 'close'],
  [/\baclosing\b/g, 'closing'],
  [/\baiter_(?=\w)/g, 'iter_'],
  [/\b_async\b/g, '_sync'],
  [/\basync_\b/g, 'sync_'],
]

/** The synchronous form of a module: the same statements without `async` and `await`. */
export function withoutAsync(source: string): string {
  const replaced = WORDS.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), source)
  return `${HEADER}${replaced}`
}
