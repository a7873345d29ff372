import { createRecent } from '../cache/recent-cache.ts'
import type { FieldTable } from './context.ts'
import { readDocument } from './document.ts'
import { createOperation, type Operation, withinStack } from './operation.ts'

/** Compiles documents and caches the operations. */
export interface Compiler {
  /** @throws RequestFailure: syntax, validation, limits, no such operation */
  compile(query: string, operationName: string | undefined): Operation
}

// Enough for every document of many integrators. A plan takes several times the characters of its document.
const MAX_CACHED_CHARACTERS = 20_000_000
const ENTRY_CHARACTERS = 10_000

export function createCompiler(tables: FieldTable): Compiler {
  const compiled = createRecent<Operation>(MAX_CACHED_CHARACTERS, (key) => key.length + ENTRY_CHARACTERS)

  return {
    compile(query, operationName) {
      // The length separates the name from the document: a name may contain line breaks.
      const key = `${operationName?.length ?? ''} ${operationName ?? ''} ${query}`
      const cached = compiled.get(key)
      if (cached) return cached
      const operation = withinStack(() => createOperation(readDocument(query), operationName, tables))
      compiled.set(key, operation)
      return operation
    },
  }
}
