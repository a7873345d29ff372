import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'

const HEADER = `// Generated from schema.graphql by \`npm run generate -w @questboard/client\`. Do not edit.

/** A value that this version of the client does not list: servers may know more. */
export type Unlisted = string & Record<never, never>
`

const scalars: Record<string, string> = {
  ID: 'string',
  String: 'string',
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  UnixTime: 'number',
}

/** Scalars as a client may send them; an id may also be a number, which the server takes exactly or refuses. */
const sentScalars: Record<string, string> = { ...scalars, ID: 'string | number' }

/**
 * The TypeScript types of a GraphQL schema, with its descriptions: one interface a type, one open union an enum, and
 * `Inputs`, which finds the type of a variable by the name that a document declares it with.
 * @throws when the schema has a kind of type or a scalar that the client has no counterpart for
 */
export function schemaTypes(sdl: string): string {
  const types = Object.values(buildSchema(sdl).getTypeMap()).filter(({ name }) => !name.startsWith('__'))
  return [HEADER, ...types.map(declaration), inputs(types)].filter((text) => text !== '').join('\n')
}

function declaration(type: GraphQLNamedType): string {
  if (isObjectType(type)) return objectType(type)
  if (isInputObjectType(type)) return inputType(type)
  if (isEnumType(type)) return enumType(type)
  if (isSpecifiedScalarType(type) || type.name in scalars) return ''
  throw new Error(`the client has no type for ${type.name}`)
}

function objectType(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(
    (field) => `${comment(field.description)}  ${field.name}: ${outputText(field.type)}\n`,
  )
  return `${comment(type.description)}export interface ${type.name} {\n${fields.join('')}}\n`
}

function inputType(type: GraphQLInputObjectType): string {
  const fields = Object.values(type.getFields()).map(({ name, description, type }) => {
    const optional = isNonNullType(type) ? '' : '?'
    return `${comment(description)}  ${name}${optional}: ${inputText(type)}\n`
  })
  return `${comment(type.description)}export interface ${type.name} {\n${fields.join('')}}\n`
}

function enumType(type: GraphQLEnumType): string {
  const values = type
    .getValues()
    .map(({ name, description }) => `- \`${name}\`${description ? `: ${description}` : ''}`)
  const text = [...(type.description ? [type.description, ''] : []), ...values].join('\n')
  const union = [...type.getValues().map(({ name }) => `'${name}'`), 'Unlisted'].join(' | ')
  return `${comment(text)}export type ${type.name} = ${union}\n`
}

function inputs(types: readonly GraphQLNamedType[]): string {
  const named = types.filter((type) => !isObjectType(type))
  const lines = named.map(({ name }) => `  ${name}: ${sentScalars[name] ?? name}\n`)
  return `/** The type of a variable, by the name that a document declares it with. */\nexport interface Inputs {\n${lines.join('')}}\n`
}

function outputText(type: GraphQLOutputType): string {
  if (isNonNullType(type)) return notNull(type.ofType)
  return `${notNull(type)} | null`
}

function notNull(type: GraphQLOutputType): string {
  if (isListType(type)) return `Array<${outputText(type.ofType)}>`
  const { name } = type as GraphQLNamedType
  return scalars[name] ?? name
}

function inputText(type: GraphQLInputType): string {
  if (isNonNullType(type)) return sent(type.ofType)
  return `${sent(type)} | null`
}

function sent(type: GraphQLInputType): string {
  if (isListType(type)) return `ReadonlyArray<${inputText(type.ofType)}>`
  const { name } = type as GraphQLNamedType
  return sentScalars[name] ?? name
}

function comment(text: string | null | undefined): string {
  if (!text) return ''
  if (!text.includes('\n')) return `/** ${text} */\n`
  return `/**\n${text.replaceAll(/^/gm, ' * ')}\n */\n`
}
