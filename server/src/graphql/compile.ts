import { type DocumentNode, getLocation, Source } from 'graphql'
import { RequestFailure } from '../errors.ts'
import { createRecent } from '../cache/recent-cache.ts'
import type { Asked } from './asked.ts'
import type { FieldTable } from './context.ts'
import { readDocument } from './document.ts'
import { createOperation, type Operation, type Place, type Prepared, withinStack } from './operation.ts'
import { type Lifted, liftValues, type Written, type WrittenValue, writtenValues } from './written-values.ts'

/** An operation that passed every check that needs no variables. */
export interface CompiledOperation extends Asked {
  /** The plan for these variables. @throws RequestFailure when they do not fit, or ask for too much */
  prepare: (rawVariables: Record<string, unknown>) => Prepared
}

/** Compiles documents and remembers the newest. */
export interface Compiler {
  /** @throws RequestFailure: syntax, validation, limits, no such operation */
  compile(query: string, operationName: string | undefined): CompiledOperation
}

/** What answers every document of a shape, made from the second that came. */
interface Shared {
  operation: Operation
  lifted: Lifted
  /** Of the document that it was made from. */
  values: readonly WrittenValue[]
}

// Enough for every document of many integrators. A plan takes several times the characters of its document.
const MAX_CACHED_CHARACTERS = 20_000_000
const MAX_SHAPE_CHARACTERS = 5_000_000
const ENTRY_CHARACTERS = 10_000
const MET_CHARACTERS = 200

/** One document of the shape has come. */
const MET = Symbol('met once')

export function createCompiler(tables: FieldTable): Compiler {
  const compiled = createRecent<CompiledOperation>(MAX_CACHED_CHARACTERS, (key) => key.length + ENTRY_CHARACTERS)
  const shapes = createRecent<Shared | typeof MET>(
    MAX_SHAPE_CHARACTERS,
    (key, value) => key.length + (value === MET ? MET_CHARACTERS : ENTRY_CHARACTERS + (value.values.at(-1)?.end ?? 0)),
  )

  const compileAnew = (document: DocumentNode, name: string | undefined): CompiledOperation =>
    withinStack(() => createOperation(document, name, tables))

  const share = (document: DocumentNode, name: string | undefined, { values }: Written): Shared =>
    withinStack(() => {
      const lifted = liftValues(document, values)
      return { operation: createOperation(lifted.document, name, tables), lifted, values }
    })

  return {
    compile(query, operationName) {
      // The length keeps a name with line breaks from being taken for the beginning of a document.
      const name = `${operationName?.length ?? ''} ${operationName ?? ''} `
      const known = compiled.get(name + query)
      if (known) return known
      const written = writtenValues(query)
      const shape = written && name + written.shape
      const met = shape === undefined ? undefined : shapes.get(shape)
      if (written && met && met !== MET) {
        const shared = serve(met, written.values, query, () => compileAnew(read(query), operationName))
        if (shared) return shared
      }
      const document = read(query)
      const fresh = compileAnew(document, operationName)
      compiled.set(name + query, fresh)
      // A client that writes values into its documents sends a second one soon; one that does not, never.
      if (written && shape !== undefined && (!met || met === MET))
        shapes.set(shape, met ? share(document, operationName, written) : MET)
      return fresh
    },
  }
}

const read = (query: string): DocumentNode => withinStack(() => readDocument(query))

/** The operation of a document of a shape that is known; undefined when its values do not fit. */
function serve(
  { operation: { coordinates, label, prepare }, lifted, values: originals }: Shared,
  values: readonly WrittenValue[],
  query: string,
  compileAnew: () => CompiledOperation,
): CompiledOperation | undefined {
  const written = lifted.variablesFor(values)
  if (!written) return undefined
  return {
    coordinates,
    label,
    prepare(rawVariables) {
      try {
        const { plan, variables } = prepare(rawVariables, written)
        return { plan, variables, locate: ({ loc }) => loc && placeIn(query, values, loc.start, originals) }
      } catch (error) {
        // An error speaks of the document as it was sent.
        if (error instanceof RequestFailure) return compileAnew().prepare(rawVariables)
        throw error
      }
    },
  }
}

/** Where something stands in a document, by where it stands in another of the same shape. */
function placeIn(
  query: string,
  values: readonly WrittenValue[],
  at: number,
  originals: readonly WrittenValue[],
): Place {
  const before = originals.findLastIndex(({ end }) => end <= at)
  const moved = before === -1 ? 0 : (values[before] as WrittenValue).end - (originals[before] as WrittenValue).end
  const { line, column } = getLocation(new Source(query), at + moved)
  return { line, column }
}
