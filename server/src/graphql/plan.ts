import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
  visit,
} from 'graphql'
import type { Arguments, FieldTable, Getter } from './context.ts'
import { schema } from './schema.ts'
import type { FieldPlan, ObjectPlan, SlowPath } from './object-plan.ts'
import { slowField, slowObject } from './slow-path.ts'
import { fastObject, fastWriter } from './write.ts'

export interface PlanSource {
  operation: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  document: DocumentNode
  tables: FieldTable
}

const NO_ARGUMENTS: Arguments = Object.freeze({})

/** Plans an operation. Only @skip and @include use `variables`. */
export function planOperation(source: PlanSource, variables: VariableValues): ObjectPlan {
  const query = schema.getQueryType() as GraphQLObjectType
  return planObject(source, query, [source.operation.selectionSet], variables)
}

function planObject(
  source: PlanSource,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  variables: VariableValues,
): ObjectPlan {
  const byKey = new Map<string, FieldNode[]>()
  const spread = new Set<string>()
  for (const set of sets) collectFields(source, set, variables, byKey, spread)
  const fields = [...byKey].map(([key, nodes]) => planField(source, type, key, nodes, variables))
  return { typeName: type.name, fields, fastPath: fastObject(fields), slowPath: slowObject(fields) }
}

/** Every valid fragment applies, because the schema has no interfaces or unions. */
function collectFields(
  source: PlanSource,
  set: SelectionSetNode,
  variables: VariableValues,
  byKey: Map<string, FieldNode[]>,
  spread: Set<string>,
): void {
  for (const node of set.selections) {
    if (!isIncluded(node, variables)) continue
    if (node.kind === Kind.FIELD) {
      const key = (node.alias ?? node.name).value
      const nodes = byKey.get(key)
      if (nodes) nodes.push(node)
      else byKey.set(key, [node])
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      collectFields(source, node.selectionSet, variables, byKey, spread)
    } else if (!spread.has(node.name.value)) {
      spread.add(node.name.value)
      const fragment = source.fragments.get(node.name.value) as FragmentDefinitionNode
      collectFields(source, fragment.selectionSet, variables, byKey, spread)
    }
  }
}

function isIncluded(node: SelectionNode, variables: VariableValues): boolean {
  if (!node.directives || node.directives.length === 0) return true
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
}

function planField(
  source: PlanSource,
  parent: GraphQLObjectType,
  key: string,
  nodes: FieldNode[],
  variables: VariableValues,
): FieldPlan {
  const node = nodes[0] as FieldNode
  const name = node.name.value
  const base = { coordinate: `${parent.name}.${name}`, key, prefix: `${JSON.stringify(key)}:`, nodes, nullable: false }
  if (name === '__typename') return { ...base, ...constant(JSON.stringify(parent.name)) }
  if (name === '__schema' || name === '__type') return { ...base, ...introspection(source, key, nodes) }
  const definition = parent.getFields()[name] as GraphQLField<unknown, unknown>
  const type = getNamedType(definition.type)
  const below = isObjectType(type)
    ? planObject(
        source,
        type,
        nodes.flatMap((each) => each.selectionSet ?? []),
        variables,
      )
    : undefined
  const fastPath = fastWriter(definition.type, below)
  return {
    ...base,
    nullable: !isNonNullType(definition.type),
    resolve: source.tables.resolvers[parent.name]?.[name],
    get: source.tables.getters?.[parent.name]?.[name] ?? property(name),
    args: planArguments(definition, node),
    below,
    fastPath,
    slowPath: slowField(definition.type, below, fastPath),
  }
}

function property(name: string): Getter {
  return (parent: Record<string, unknown>) => parent[name]
}

function planArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): FieldPlan['args'] {
  if (definition.args.length === 0) return NO_ARGUMENTS
  let fixed = true
  for (const argument of node.arguments ?? [])
    visit(argument, {
      Variable() {
        fixed = false
      },
    })
  return fixed ? getArgumentValues(definition, node) : (variables) => getArgumentValues(definition, node, variables)
}

type FieldAccess = Pick<FieldPlan, 'resolve' | 'get' | 'args' | 'below' | 'fastPath' | 'slowPath'>

function constant(text: string): FieldAccess {
  const write = () => text
  return { resolve: undefined, get: write, args: NO_ARGUMENTS, below: undefined, fastPath: write, slowPath: write }
}

/** graphql-js executes introspection fields. */
function introspection(source: PlanSource, key: string, nodes: FieldNode[]): FieldAccess {
  const operation = { ...source.operation, selectionSet: { ...source.operation.selectionSet, selections: nodes } }
  const fragments = source.document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  const document = { ...source.document, definitions: [operation, ...fragments] }
  const write: SlowPath = (_, run) => {
    const { data } = executeSync({ schema, document, variableValues: run.rawVariables })
    return JSON.stringify(data?.[key] ?? null)
  }
  return {
    resolve: undefined,
    get: () => true,
    args: NO_ARGUMENTS,
    below: undefined,
    fastPath: undefined,
    slowPath: write,
  }
}
