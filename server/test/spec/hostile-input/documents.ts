import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { type Draw, edited, NOISE } from './draw.ts'

export interface Known {
  /** Values that exist in the fixture: ids, addresses, cursors, handles. */
  texts: readonly string[]
  numbers: readonly number[]
}

export interface Operation {
  query: string
  variables?: unknown
  operationName?: unknown
}

interface Writing {
  draw: Draw
  schema: GraphQLSchema
  known: Known
  /** Variables of the current operation. */
  declared: Map<string, { type: string; value: unknown }>
  fragments: string[]
}

const DEEPEST = 6

/** An operation that follows the grammar of the schema, often with one or two mistakes. */
export function operation(draw: Draw, schema: GraphQLSchema, known: Known): Operation {
  const writing: Writing = { draw, schema, known, declared: new Map(), fragments: [] }
  const root = schema.getQueryType() as GraphQLObjectType
  const selection = selectionOf(writing, root, 0)
  const declarations = [...writing.declared].map(([name, { type }]) => `$${name}: ${type}`).join(', ')
  const head =
    declarations === '' && draw.chance(0.5) ? '' : `query Q${declarations === '' ? '' : `(${declarations})`} `
  const query = [`${head}${directives(writing)}${selection}`, ...writing.fragments].join('\n')
  const variables = Object.fromEntries([...writing.declared].map(([name, { value }]) => [name, value]))
  return {
    query: draw.chance(0.3) ? edited(draw, query) : query,
    ...(draw.chance(0.95) && { variables: draw.chance(0.05) ? anyValue(writing) : variables }),
    ...(draw.chance(0.1) && { operationName: draw.pick(['Q', 'R', '', null, 1]) }),
  }
}

function selectionOf(writing: Writing, type: GraphQLObjectType, depth: number): string {
  const { draw } = writing
  const fields = Object.values(type.getFields())
  const leaves = fields.filter((field) => !isObjectType(getNamedType(field.type)))
  const among = depth < DEEPEST || leaves.length === 0 ? fields : leaves
  const count = 1 + draw.upTo(depth === 0 ? 1 : 3)
  const parts = Array.from({ length: count }, () => {
    if (draw.chance(0.04))
      return draw.pick(['__typename', '__schema { types { name } }', '__type(name: "Quest") { name }'])
    if (draw.chance(0.02)) return draw.pick(['nothing', 'id { id }', '... Missing', '...F0', 'a: __typename'])
    const field = draw.pick(among)
    return fieldOf(writing, field.name, field.type, field.args, depth)
  })
  const body = `{ ${parts.join(' ')} }`
  if (!draw.chance(0.06)) return body
  if (draw.chance(0.5)) return `{ ... on ${draw.chance(0.9) ? type.name : 'Query'} ${directives(writing)}${body} }`
  const name = `F${writing.fragments.length}`
  writing.fragments.push(`fragment ${name} on ${type.name} ${body}`)
  return `{ ...${name} ${draw.chance(0.2) ? `...${name}` : ''} }`
}

function fieldOf(
  writing: Writing,
  name: string,
  type: GraphQLOutputType,
  args: readonly GraphQLArgument[],
  depth: number,
): string {
  const { draw } = writing
  const given = args.filter((arg) => (isNonNullType(arg.type) ? !draw.chance(0.01) : draw.chance(0.6)))
  const texts = given.map((arg) => `${arg.name}: ${argumentOf(writing, arg.type)}`)
  if (draw.chance(0.01)) texts.push(`more: ${draw.pick(['1', '"x"', '{ a: 1 }'])}`)
  const named: GraphQLNamedType = getNamedType(type)
  const alias = draw.chance(0.15) ? `${draw.pick(['a', 'b', '_', 'first', '__a'])}: ` : ''
  const selection = isObjectType(named) ? ` ${selectionOf(writing, named, depth + 1)}` : ''
  return `${alias}${name}${texts.length > 0 ? `(${texts.join(', ')})` : ''} ${directives(writing)}${selection}`
}

function argumentOf(writing: Writing, type: GraphQLInputType): string {
  const { draw, declared } = writing
  if (!draw.chance(0.5)) return literal(valueOf(writing, type), type, draw)
  const name = `v${declared.size}`
  declared.set(name, { type: draw.chance(0.97) ? String(type) : 'String', value: valueOf(writing, type) })
  return `$${name}`
}

function directives({ draw }: Writing): string {
  if (!draw.chance(0.04)) return ''
  return `${draw.pick(['@skip(if: false)', '@include(if: true)', '@skip(if: true)', '@include', '@nothing', '@skip(if: "x")'])} `
}

/** A JSON value that usually has the right type. */
function valueOf(writing: Writing, type: GraphQLInputType): unknown {
  const { draw, known } = writing
  if (isNonNullType(type)) return draw.chance(0.01) ? null : valueOf(writing, type.ofType)
  if (draw.chance(0.05)) return null
  if (draw.chance(0.03)) return anyValue(writing)
  if (isListType(type)) return Array.from({ length: draw.upTo(3) }, () => valueOf(writing, type.ofType))
  if (isEnumType(type)) return draw.chance(0.9) ? draw.pick(type.getValues()).name : draw.pick(NOISE)
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || draw.chance(0.7))
    const given = fields.map((field) => [field.name, valueOf(writing, field.type)])
    return Object.fromEntries(draw.chance(0.03) ? [...given, ['unknown', 1]] : given)
  }
  if (type.name === 'Int') return draw.pick(known.numbers)
  if (type.name === 'Boolean') return draw.chance(0.5)
  const text = draw.chance(0.85) ? draw.pick(known.texts) : draw.pick(NOISE)
  return draw.chance(0.15) ? edited(draw, text) : text
}

function anyValue({ draw, known }: Writing): unknown {
  const one = (): unknown =>
    draw.pick<unknown>([null, true, draw.pick(known.numbers), draw.pick(NOISE), draw.pick(known.texts), 1.5, -0, 1e300])
  return draw.pick<() => unknown>([
    one,
    () => [one(), one()],
    () => ({ a: one(), forward: one() }),
    () => [[[one()]]],
  ])()
}

/** The value as a GraphQL literal. */
function literal(value: unknown, type: GraphQLInputType, draw: Draw): string {
  const named = getNamedType(type)
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, type, draw)).join(', ')}]`
  if (typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([name, member]) => {
        const field = isInputObjectType(named) ? named.getFields()[name] : undefined
        return `${name}: ${literal(member, field?.type ?? type, draw)}`
      })
      .join(', ')} }`
  if (typeof value === 'string' && isEnumType(named)) return value
  if (typeof value !== 'string') return JSON.stringify(value)
  return draw.chance(0.9) ? JSON.stringify(value) : `"""${value}"""`
}
