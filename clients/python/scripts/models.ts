import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  NoUnusedFragmentsRule,
  type OperationDefinitionNode,
  parse,
  print,
  specifiedRules,
  stripIgnoredCharacters,
  typeFromAST,
  validate,
  visit,
} from 'graphql'
import { docstring, HEADER, literals, snakeCase } from './python-text.ts'

const SCALARS: Record<string, string> = {
  ID: 'str',
  String: 'str',
  Int: 'int',
  Float: 'float',
  Boolean: 'bool',
  UnixTime: 'int',
}

/**
 * The dataclasses of the fragments of `operations.graphql`, with the descriptions of the schema.
 * @throws when the operations do not fit the schema, or select an object without a fragment
 */
export function modelsFile(sdl: string, operations: string): string {
  const { schema, document, fragments } = read(sdl, operations)
  const enums = new Set<GraphQLEnumType>()
  const classes = inOrder(fragments).map((fragment) => dataclass(schema, fragment, enums))
  const ofInputs = enumsOfVariables(schema, document).filter((type) => !enums.has(type))
  return [
    HEADER,
    '"""The objects of the API, with names in snake case."""\n',
    'from __future__ import annotations\n',
    'from collections.abc import Mapping',
    'from dataclasses import dataclass',
    'from typing import Any, List, Literal, Union\n',
    ...[...enums].map(returnedEnum),
    ...ofInputs.map(inputEnum),
    classes.join('\n'),
  ].join('\n')
}

/** The enums that the input objects of the operations contain. */
function enumsOfVariables(schema: GraphQLSchema, { definitions }: DocumentNode): GraphQLEnumType[] {
  const variables = definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  )
  return variables.flatMap(({ type }) => {
    const input = getNamedType(typeFromAST(schema, type))
    if (!isInputObjectType(input)) return []
    return Object.values(input.getFields()).flatMap((field) => {
      const named = getNamedType(field.type)
      return isEnumType(named) ? [named] : []
    })
  })
}

/**
 * The text of each document of `operations.graphql`. Fragments are replaced by their fields, because a fragment names a
 * type, and other servers name their types differently.
 */
export function documentsFile(sdl: string, operations: string): string {
  const { document, fragments } = read(sdl, operations)
  const texts = document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return []
    const text = stripIgnoredCharacters(print(withoutFragments(definition, fragments)))
    return [`${snakeCase(definition.name?.value ?? '').toUpperCase()} = (\n${pieces(text)})\n`]
  })
  return [HEADER, '"""The documents that the client sends."""\n', texts.join('\n')].join('\n')
}

/** Events of streams have fragments, but no document. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule)

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

function read(sdl: string, operations: string) {
  const schema = buildSchema(sdl)
  const document = parse(operations)
  const [error] = validate(schema, document, RULES)
  if (error) throw error
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  )
  return { schema, document, fragments }
}

function withoutFragments(node: OperationDefinitionNode, fragments: Fragments): OperationDefinitionNode {
  return visit(node, {
    SelectionSet: {
      enter: ({ selections, ...set }) => ({
        ...set,
        selections: selections.flatMap((selection) =>
          selection.kind === Kind.FRAGMENT_SPREAD
            ? (fragments.get(selection.name.value)?.selectionSet.selections ?? [])
            : [selection],
        ),
      }),
    },
  })
}

function usedFragments(
  node: DocumentNode['definitions'][number],
  fragments: Fragments,
  used: Set<FragmentDefinitionNode> = new Set(),
): Set<FragmentDefinitionNode> {
  visit(node, {
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value)
      if (!fragment || used.has(fragment)) return
      used.add(fragment)
      usedFragments(fragment, fragments, used)
    },
  })
  return used
}

/** A class comes after the classes of its fields, because a reader reads from the parts to the whole. */
function inOrder(fragments: Fragments): FragmentDefinitionNode[] {
  const ordered = new Set<FragmentDefinitionNode>()
  const add = (fragment: FragmentDefinitionNode): void => {
    for (const used of usedFragments(fragment, fragments)) if (used !== fragment) add(used)
    ordered.add(fragment)
  }
  for (const fragment of fragments.values()) add(fragment)
  return [...ordered]
}

function returnedEnum(type: GraphQLEnumType): string {
  const text = [...meanings(type), '', 'Servers may return other values.'].join('\n')
  return `${type.name} = Union[${valuesOf(type)}, str]\n${docstring(text, '')}`
}

function inputEnum(type: GraphQLEnumType): string {
  return `${type.name} = ${valuesOf(type)}\n${docstring(meanings(type).join('\n'), '')}`
}

const valuesOf = (type: GraphQLEnumType): string => literals(type.getValues().map(({ name }) => name))

const meanings = (type: GraphQLEnumType): string[] => [
  ...(type.description ? [type.description, ''] : []),
  ...type
    .getValues()
    .map(({ name, description }) => `- ${name}${description ? `: ${description.replaceAll(/\s+/g, ' ')}` : ''}`),
]

function dataclass(
  schema: GraphQLSchema,
  { name, typeCondition, selectionSet }: FragmentDefinitionNode,
  enums: Set<GraphQLEnumType>,
): string {
  const type = schema.getType(typeCondition.name.value) as GraphQLObjectType
  const fields = selectionSet.selections.map((selection) => {
    const node = selection as FieldNode
    const field = type.getFields()[node.name.value]
    if (!field) throw new Error(`${name.value} selects ${node.name.value}, which the client cannot read`)
    const leaf = leafOf(field.type, node, enums)
    return {
      python: snakeCase(node.name.value),
      json: node.name.value,
      text: field.description,
      type: field.type,
      leaf,
    }
  })
  const declared = fields.map(
    ({ python, text, type: of, leaf }) => `    ${python}: ${typeText(of, leaf)}\n${docstring(text, '    ')}`,
  )
  const read = fields.map(
    ({ python, json, type: of, leaf }) => `            ${python}=${readText(of, leaf, `data["${json}"]`)},\n`,
  )
  return `
@dataclass(frozen=True)
class ${name.value}:
${docstring(type.description, '    ')}
${declared.join('\n')}
    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ${name.value}:
        return cls(
${read.join('')}        )
`
}

/** The Python name of the innermost type; a class has `read`. */
interface Leaf {
  name: string
  isClass: boolean
}

function leafOf(type: GraphQLOutputType, { name, selectionSet }: FieldNode, enums: Set<GraphQLEnumType>): Leaf {
  const named = getNamedType(type)
  if (isEnumType(named)) {
    enums.add(named)
    return { name: named.name, isClass: false }
  }
  if (isObjectType(named)) {
    const [spread, ...more] = selectionSet?.selections ?? []
    if (spread?.kind !== Kind.FRAGMENT_SPREAD || more.length > 0)
      throw new Error(`${name.value} must be selected by one fragment, which names its class`)
    return { name: spread.name.value, isClass: true }
  }
  const scalar = SCALARS[named.name]
  if (!scalar) throw new Error(`the client has no type for ${named.name}`)
  return { name: scalar, isClass: false }
}

function typeText(type: GraphQLOutputType, leaf: Leaf): string {
  if (!isNonNullType(type)) return `${notNull(type, leaf)} | None`
  return notNull(type.ofType, leaf)
}

function notNull(type: GraphQLOutputType, leaf: Leaf): string {
  return isListType(type) ? `List[${typeText(type.ofType, leaf)}]` : leaf.name
}

function readText(type: GraphQLOutputType, leaf: Leaf, value: string): string {
  if (!leaf.isClass) return value
  const nullable = !isNonNullType(type)
  const inner = isNonNullType(type) ? type.ofType : type
  const read = isListType(inner)
    ? `[${readText(inner.ofType, leaf, 'each')} for each in ${value}]`
    : `${leaf.name}.from_json(${value})`
  return nullable ? `None if ${value} is None else ${read}` : read
}

/** Splits a text into lines of Python that are joined by the parser. */
function pieces(text: string): string {
  const parts = text.match(/.{1,88}(?:[ {}(),]|$)|.+/g) ?? []
  return parts.map((part) => `    ${JSON.stringify(part)}\n`).join('')
}
