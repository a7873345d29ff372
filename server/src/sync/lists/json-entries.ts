import { parsePointer, valueAt } from '../json-pointer.ts'
import { SourceError } from '../source-error.ts'

export function parseJson(text: string, host: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new SourceError(`${host} sent a response that is not JSON: ${JSON.stringify(text.slice(0, 80))}`, {
      cause,
    })
  }
}

/**
 * The addresses in a page: the list that `list` leads to, and in each element what `address` leads to. `place` names the
 * document in errors.
 */
export function entriesOf(document: unknown, where: { list: string; address: string }, place: string): unknown[] {
  const list = valueAt(document, parsePointer(where.list) ?? [])
  if (!Array.isArray(list)) throw new SourceError(`${place} has no list at ${JSON.stringify(where.list)}`)
  const pointer = parsePointer(where.address) ?? []
  return pointer.length === 0 ? (list as unknown[]) : list.map((element) => valueAt(element, pointer))
}
