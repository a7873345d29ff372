import { HEADER } from './python-text.ts'

const WORDS: ReadonlyArray<[RegExp, string]> = [
  [/\basync (def|for|with)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bAwaitable, /g, ''],
  [/\bAwaitable\[([^[\]]+)\]/g, '$1'],
  [/\bAsync(?=[A-Z])/g, ''],
  [/__a(enter|exit|iter|next)__/g, '__$1__'],
  [/\baclose\b/g, 'close'],
  [/\baiter_(?=\w)/g, 'iter_'],
  [/\b_async\b/g, '_sync'],
  [/\basync_\b/g, 'sync_'],
]

/** The synchronous form of a module: the same statements without `async` and `await`. */
export function withoutAsync(source: string): string {
  const replaced = WORDS.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), source)
  return `${HEADER}${replaced}`
}
