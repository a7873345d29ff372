import {
  type GraphQLNamedType,
  type GraphQLOutputType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { FastPath, FieldPlan, ObjectPlan } from './object-plan.ts'

/** The fast path of a type; undefined if it needs a resolver. The path throws if a non-null value is null. */
export function fastWriter(type: GraphQLOutputType, below: ObjectPlan | undefined): FastPath | undefined {
  const nonNull = isNonNullType(type)
  const bare = nonNull ? type.ofType : type
  const write = isListType(bare) ? fastList(bare.ofType, below) : isLeafType(bare) ? leafWriter(bare) : below?.fastPath
  if (!write) return undefined
  if (!nonNull) return (value) => (value === null || value === undefined ? 'null' : write(value))
  return (value) => {
    if (value === null || value === undefined) throw new NullViolation()
    return write(value)
  }
}

/** The error for null in a non-null field, which is a defect of the service. */
export class NullViolation extends Error {
  override message = 'null where the schema promises a value'
}

function fastList(itemType: GraphQLOutputType, below: ObjectPlan | undefined): FastPath | undefined {
  const item = fastWriter(itemType, below)
  if (!item) return undefined
  return (value) => {
    const items = value as readonly unknown[]
    if (items.length === 0) return '[]'
    let text = `[${item(items[0])}`
    for (let i = 1; i < items.length; i++) text += `,${item(items[i])}`
    return `${text}]`
  }
}

/** Writes an object whose fields are all read from it; undefined if a field below needs a resolver. */
export function fastObject(fields: readonly FieldPlan[]): FastPath | undefined {
  const parts: { prefix: string; get: (parent: never) => unknown; write: FastPath }[] = []
  for (const [index, field] of fields.entries()) {
    if (field.resolve || !field.fastPath) return undefined
    parts.push({ prefix: `${index === 0 ? '{' : ','}${field.prefix}`, get: field.get, write: field.fastPath })
  }
  return (source) => {
    let text = ''
    for (const part of parts) text += part.prefix + part.write(part.get(source as never))
    return `${text}}`
  }
}

/** The JSON text of a scalar or an enum value. @throws if the value does not match the type */
export function leafWriter(type: GraphQLNamedType): FastPath {
  if (isEnumType(type)) {
    const texts = new Map<unknown, string>(type.getValues().map((value) => [value.value, JSON.stringify(value.name)]))
    return (value) => texts.get(value) ?? refuse(type.name, value)
  }
  const write = scalars[type.name]
  if (!write) throw new Error(`no writer for the scalar ${type.name}`)
  return write
}

const scalars: Record<string, FastPath> = {
  Int: (value) =>
    Number.isInteger(value) && (value as number) === ((value as number) | 0)
      ? `${value as number}`
      : refuse('Int', value),
  Float: (value) => (Number.isFinite(value) ? `${value as number}` : refuse('Float', value)),
  Boolean: (value) => (typeof value === 'boolean' ? (value ? 'true' : 'false') : refuse('Boolean', value)),
  String: (value) => (typeof value === 'string' ? quote(value) : refuse('String', value)),
  ID: (value) =>
    typeof value === 'string'
      ? quote(value)
      : Number.isSafeInteger(value)
        ? `"${value as number}"`
        : refuse('ID', value),
  UnixTime: (value) =>
    value instanceof Date && !Number.isNaN(value.getTime())
      ? `${Math.floor(value.getTime() / 1000)}`
      : refuse('UnixTime', value),
}

/** Matches all characters except the ASCII characters that JSON does not escape. */
const ESCAPED_CHARACTER = /[^ !#-[\]-~]/

/** Most texts need no escapes, and this check is faster than `JSON.stringify`. */
function quote(text: string): string {
  return ESCAPED_CHARACTER.test(text) ? JSON.stringify(text) : `"${text}"`
}

function refuse(type: string, value: unknown): never {
  throw new TypeError(`a value of the JavaScript type ${typeof value} cannot be written as ${type}`)
}
