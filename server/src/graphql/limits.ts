import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { tooComplex, tooDeep } from '../errors.ts'

/** The limits of one document (docs/limits.md). The documents of usual clients stay far below them. */
export const MAX_BODY_BYTES = 100_000
export const MAX_TOKENS = 2_000
/** The introspection queries of common tools have a depth of 15. */
export const MAX_DEPTH = 16
export const MAX_ALIASES = 100
/** The number of fields with all fragments expanded, before @skip and @include. Nested fragments multiply it. */
export const MAX_FIELDS = 1_000
/** The maximum cost of a document. A field with a resolver costs RESOLVER_COST for each look-up; other fields cost 1. */
export const MAX_COST = 100_000
export const RESOLVER_COST = 100
/** The maximum number of addresses in one field. Each is one look-up. */
export const MAX_ADDRESSES = 100

/** The depth of a selection, and the number of its fields with all fragments expanded. */
interface Size {
  depth: number
  fields: number
}

const NOTHING: Size = { depth: 0, fields: 0 }

/** Rejects a document with too much depth, too many fields or too many aliases. */
export function refuseOversizedDocument(document: DocumentNode): void {
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  )
  const known = new Map<string, Size>()
  let aliases = 0
  let largest = NOTHING
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue
    aliases += countAliases(definition.selectionSet)
    const { depth, fields } = sizeOf(definition.selectionSet, fragments, known)
    largest = { depth: Math.max(largest.depth, depth), fields: Math.max(largest.fields, fields) }
  }
  if (aliases > MAX_ALIASES) throw tooComplex('too many aliases', MAX_ALIASES, aliases)
  if (largest.depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH, largest.depth)
  if (largest.fields > MAX_FIELDS) throw tooComplex('too many fields', MAX_FIELDS, largest.fields)
}

function countAliases(set: SelectionSetNode): number {
  let count = 0
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD && node.alias) count++
    if (node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet) count += countAliases(node.selectionSet)
  }
  return count
}

/** Runs before validation, so fragments may be unknown or cyclic; each fragment is measured once. */
function sizeOf(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  known: Map<string, Size>,
): Size {
  let depth = 0
  let fields = 0
  for (const node of set.selections) {
    const below =
      node.kind === Kind.FRAGMENT_SPREAD
        ? sizeOfFragment(node.name.value, fragments, known)
        : node.selectionSet
          ? sizeOf(node.selectionSet, fragments, known)
          : NOTHING
    const own = node.kind === Kind.FIELD ? 1 : 0
    depth = Math.max(depth, own + below.depth)
    // Kept below 2^53, even if nested fragments double the number many times.
    fields = Math.min(fields + own + below.fields, Number.MAX_SAFE_INTEGER)
  }
  return { depth, fields }
}

function sizeOfFragment(
  name: string,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  known: Map<string, Size>,
): Size {
  const measured = known.get(name)
  const fragment = fragments.get(name)
  if (measured || !fragment) return measured ?? NOTHING
  known.set(name, NOTHING) // ends the recursion of a cyclic fragment; validation reports the mistake
  const size = sizeOf(fragment.selectionSet, fragments, known)
  known.set(name, size)
  return size
}
