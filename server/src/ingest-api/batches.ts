import type { Dependencies } from '../services.ts'
import { importItems } from '../ingest/import-items.ts'
import type { Kind, StagedRule } from '../ingest/kind.ts'
import type { Problem } from '../ingest/problems.ts'
import type { Item } from './read-items.ts'
import { batchAnswer, type BatchAnswer, type ItemResult, refusedItem } from './results.ts'

/** Stores items of a kind; each is accepted or rejected separately. Resolves when all are committed. */
export async function storeItems(
  deps: Pick<Dependencies, 'database' | 'clock'> & { actor: string },
  kind: Kind,
  permissions: readonly StagedRule[],
  items: readonly Item[],
): Promise<BatchAnswer> {
  // Lines of an import are numbered from 1.
  const numbered = items.flatMap((item, index) => ('value' in item ? [{ line: index + 1, value: item.value }] : []))
  const { refused, applied } = await importItems(deps, kind, numbered, permissions)
  return batchAnswer(
    items.map((item, index): ItemResult => {
      const problem: Problem | undefined =
        'value' in item ? refused.get(index + 1) : { line: index, reason: item.unreadable }
      if (problem) return refusedItem(index, kind.fields, { ...problem, code: problem.code ?? 'INVALID_ARGUMENT' })
      return { index, status: applied.has(index + 1) ? 'applied' : 'unchanged' }
    }),
  )
}
