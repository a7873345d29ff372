import {
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLObjectType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { FieldTable } from './context.ts'
import { schema } from './schema.ts'

const MAX_LABEL_LENGTH = 200

/** The fields of an operation, including those that @skip and @include may leave out. */
export interface OperationSummary {
  /** `Type.field` of every field. */
  coordinates: ReadonlySet<string>
  /** The fields that have a resolver. */
  fieldsWithResolver: readonly string[]
  /** Root fields, each with the fields below it that read the database: `credential.eligible`, `space quests`. */
  label: string
}

export function summarizeOperation(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  tables: FieldTable,
): OperationSummary {
  const coordinates = new Set<string>()
  const labels = new Set<string>()
  const spread = new Set<string>()
  const walk = (set: SelectionSetNode, type: GraphQLObjectType, root: string | undefined): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) walk(node.selectionSet, type, root)
      else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value)
        const once = `${root ?? ''} ${node.name.value}`
        if (!fragment || spread.has(once)) continue
        spread.add(once)
        walk(fragment.selectionSet, type, root)
      } else {
        const name = node.name.value
        coordinates.add(`${type.name}.${name}`)
        if (root === undefined) labels.add(name)
        else if (tables.resolvers[type.name]?.[name]) labels.add(`${root}.${name}`)
        const below = getNamedType(type.getFields()[name]?.type)
        if (node.selectionSet && isObjectType(below)) walk(node.selectionSet, below, root ?? name)
      }
    }
  }
  walk(operation.selectionSet, schema.getQueryType() as GraphQLObjectType, undefined)
  const shown = [...labels].filter((label) => ![...labels].some((other) => other.startsWith(`${label}.`)))
  const fieldsWithResolver = [...coordinates].filter((coordinate) => {
    const [type = '', field = ''] = coordinate.split('.')
    return tables.resolvers[type]?.[field] !== undefined
  })
  return { coordinates, fieldsWithResolver, label: shown.sort().join(' ').slice(0, MAX_LABEL_LENGTH) }
}
