import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql'
import type { DocsEntry } from './entry.ts'

const MAX_FOUND = 50

/** The types of a schema by name, without those of introspection. */
export function typesOf(schema: GraphQLSchema): GraphQLNamedType[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .sort((a, b) => a.name.localeCompare(b.name))
}

/** The names of a type's fields, or of its values if it is an enum. */
export function membersOf(type: GraphQLNamedType): string[] {
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) return Object.keys(type.getFields())
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : []
}

/** Types and fields whose name contains the text, types first. */
export function findInSchema(schema: GraphQLSchema, text: string): DocsEntry[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const matches = (name: string) => name.toLowerCase().includes(wanted)
  const types = typesOf(schema)
  return [
    ...types.filter(({ name }) => matches(name)).map(({ name }) => ({ type: name })),
    ...types.flatMap((type) =>
      membersOf(type)
        .filter(matches)
        .map((field) => ({ type: type.name, field })),
    ),
  ].slice(0, MAX_FOUND)
}
