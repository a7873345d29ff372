import { createRecent } from '../cache/recent-cache.ts'
import type { FieldTable } from './context.ts'
import { readDocument } from './document.ts'
import { createOperation, type Operation, withinStack } from './operation.ts'

/** Compiles documents and caches the operations. */
export interface Compiler {
  /** @throws RequestFailure if the document is invalid, exceeds a limit, or does not contain the operation */
  compile(query: string, operationName: string | undefined): Operation
}

// Enough for the documents of many integrators. A cached plan needs several times the memory of its document.
const MAX_CACHED_CHARACTERS = 20_000_000
const ENTRY_CHARACTERS = 10_000

export function createCompiler(tables: FieldTable): Compiler {
  const compiled = createRecent<Operation>(MAX_CACHED_CHARACTERS, (key) => key.length + ENTRY_CHARACTERS)

  return {
    compile(query, operationName) {
      // The key begins with the length of the name, because a name may contain spaces and line breaks.
      const key = `${operationName?.length ?? ''} ${operationName ?? ''} ${query}`
      const cached = compiled.get(key)
      if (cached) return cached
      const operation = withinStack(() => createOperation(readDocument(query), operationName, tables))
      compiled.set(key, operation)
      return operation
    },
  }
}
