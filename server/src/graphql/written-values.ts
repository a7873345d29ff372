import {
  coerceInputLiteral,
  type DocumentNode,
  type FieldNode,
  getNullableType,
  type GraphQLInputType,
  isScalarType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { schema } from './schema.ts'

/**
 * Many clients write values into their documents instead of variables: `eligible(address: "0x…")`. Such documents differ
 * in nothing but those values, and one plan can serve them all. The values that can be told from a glance at the text,
 * plain strings and whole numbers, are taken out; what is left is the shape of a document.
 */
export interface Written {
  /** The document with a mark in the place of each value: no two that differ in anything else have the same. */
  shape: string
  values: WrittenValue[]
}

export interface WrittenValue {
  kind: typeof Kind.STRING | typeof Kind.INT
  value: string
  /** Its place in the document; quotation marks are within. */
  start: number
  end: number
}

/** Strings without escapes; whole numbers; names and comments, whose letters are neither; all that needs a parser. */
const TOKENS =
  /"([ !#-[\]-~\u00a0-\ud7ff\uf900-\ufffd]*)"(?!")|(-?(?:0|[1-9]\d*)(?![\w.]))|[A-Za-z_]\w*|#[^\n\r]*|(["\d\0-])/g

/** @returns undefined when nothing, or something that needs a parser, is written into the document */
export function writtenValues(query: string): Written | undefined {
  const values: WrittenValue[] = []
  let shape = ''
  let end = 0
  for (const match of query.matchAll(TOKENS)) {
    const [token, string, number, other] = match
    if (other !== undefined) return undefined
    const start = match.index
    const value = number ?? string
    if (value === undefined) continue
    shape += query.slice(end, start) + (number === undefined ? '\0"' : '\x000')
    end = start + token.length
    values.push({ kind: number === undefined ? Kind.STRING : Kind.INT, value, start, end })
  }
  return values.length > 0 ? { shape: shape + query.slice(end), values } : undefined
}

/** A document whose values have become variables, and what these are for another document of its shape. */
export interface Lifted {
  document: DocumentNode
  /**
   * The variables' values; undefined when those do not fit, or differ in a place that had to be left as it is.
   */
  variablesFor(values: readonly WrittenValue[]): Record<string, unknown> | undefined
}

/** Makes variables of the values that stand in arguments. @param document a valid one */
export function liftValues(document: DocumentNode, values: readonly WrittenValue[]): Lifted {
  const indexes = new Map(values.map(({ start }, index) => [start, index]))
  const repeated = repeatedKeys(document)
  const types = new Map<number, GraphQLInputType>()
  const info = new TypeInfo(schema)
  const path: string[] = []
  const lifted = visit(
    document,
    visitWithTypeInfo(info, {
      VariableDefinition: () => false,
      Directive: () => false,
      Field: {
        enter(field) {
          // Questions about the schema are answered by the library, from the document as it is.
          if (field.name.value === '__type' || field.name.value === '__schema') return false
          path.push(keyOf(field))
          return undefined
        },
        leave: () => void path.pop(),
      },
      // Whether fields of one key can be merged depends on their values.
      Argument: () => (repeated.has(path.at(-1) as string) ? false : undefined),
      IntValue: (node) => lift(node.loc?.start),
      StringValue: (node) => lift(node.loc?.start),
    }),
  )

  function lift(start = -1) {
    const index = indexes.get(start)
    const type = getNullableType(info.getInputType())
    if (index === undefined || !isScalarType(type)) return undefined
    types.set(index, type)
    return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: nameOf(index) } } as const
  }

  return {
    document: lifted,
    variablesFor(others) {
      const variables: Record<string, unknown> = {}
      for (const [index, other] of others.entries()) {
        const type = types.get(index)
        if (!type) {
          if (other.value !== values[index]?.value) return undefined
          continue
        }
        const value = coerceInputLiteral({ kind: other.kind, value: other.value }, type)
        if (value === undefined) return undefined
        variables[nameOf(index)] = value
      }
      return variables
    },
  }
}

/** No variable of a document can have such a name. */
const nameOf = (index: number): string => `${index}`

function repeatedKeys(document: DocumentNode): Set<string> {
  const known = new Set<string>()
  const repeated = new Set<string>()
  visit(document, {
    Field(field) {
      const key = keyOf(field)
      if (known.has(key)) repeated.add(key)
      known.add(key)
    },
  })
  return repeated
}

const keyOf = (field: FieldNode): string => (field.alias ?? field.name).value
