import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql'
import { tooComplex, tooDeep } from '../errors.ts'

/** What one document may ask for; every document of the specification stays far below (docs/operations.md). */
export const MAX_BODY_BYTES = 100_000
export const MAX_TOKENS = 5_000
/** The introspection queries of common tools nest 15 deep. */
export const MAX_DEPTH = 16
export const MAX_ALIASES = 100
/** In fields answered, where a field that reads the database counts RESOLVER_COST. */
export const MAX_COST = 100_000
export const RESOLVER_COST = 100

/** Refuses a document that is nested too deeply or gives too many fields another name. */
export function refuseOversizedDocument(document: DocumentNode): void {
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  )
  let aliases = 0
  let deepest = 0
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue
    aliases += countAliases(definition.selectionSet)
    deepest = Math.max(deepest, depthOf(definition.selectionSet, fragments, new Map(), new Set()))
  }
  if (aliases > MAX_ALIASES) throw tooComplex('too many aliases', MAX_ALIASES, aliases)
  if (deepest > MAX_DEPTH) throw tooDeep(MAX_DEPTH, deepest)
}

function countAliases(set: SelectionSetNode): number {
  let count = 0
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD && node.alias) count++
    if (node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet) count += countAliases(node.selectionSet)
  }
  return count
}

/** Runs before validation, so fragments may still be unknown or form a circle; each is measured once. */
function depthOf(
  set: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  known: Map<string, number>,
  open: Set<string>,
): number {
  let deepest = 0
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      const below = node.selectionSet ? depthOf(node.selectionSet, fragments, known, open) : 0
      deepest = Math.max(deepest, 1 + below)
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      deepest = Math.max(deepest, depthOf(node.selectionSet, fragments, known, open))
    } else {
      const name = node.name.value
      const fragment = fragments.get(name)
      if (!fragment || open.has(name)) continue // validation names the mistake
      if (!known.has(name)) {
        open.add(name)
        known.set(name, depthOf(fragment.selectionSet, fragments, known, open))
        open.delete(name)
      }
      deepest = Math.max(deepest, known.get(name) as number)
    }
  }
  return deepest
}
