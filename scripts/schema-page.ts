import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql'
import { format, resolveConfig } from 'prettier'
import { splitLongCells } from './long-cells.ts'

/** docs/schema.md: every type, field, argument and value of the schema, in the words of the SDL. */
export async function schemaPage(sdl: string): Promise<string> {
  const schema = buildSchema(sdl)
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  )
  const chapters = [
    ['Queries', types.filter((type) => type === schema.getQueryType())],
    ['Objects', types.filter((type) => isObjectType(type) && type !== schema.getQueryType())],
    ['Inputs', types.filter(isInputObjectType)],
    ['Enums', types.filter(isEnumType)],
    ['Scalars', types.filter(isScalarType)],
  ] as const
  const body = chapters.map(
    ([title, each]) =>
      `## ${title}\n\n${sorted(each)
        .map((type) => section(schema, type))
        .join('\n')}`,
  )
  const markdown = `# Schema

After this page you know the types, fields and arguments of the query API. A script generates this page from
[schema.graphql](../schema.graphql), which a running service returns at \`GET /schema.graphql\`. Introspection needs a
token. [The query API](api.md) has an example of every query. "Extension" marks what
[hosted platforms](differences.md#extensions) do not have.

${body.join('\n')}`
  return format(markdown, { ...(await resolveConfig(import.meta.filename)), parser: 'markdown' })
}

const sorted = (types: readonly GraphQLNamedType[]) => types.toSorted((a, b) => (a.name < b.name ? -1 : 1))

function section(schema: GraphQLSchema, type: GraphQLNamedType): string {
  const heading = `### ${type.name}\n\n${words(type.description)}\n`
  if (isObjectType(type))
    return `${heading}\n${table(
      'Field',
      Object.values(type.getFields()).flatMap((f) => fieldRows(schema, f)),
    )}`
  if (isInputObjectType(type))
    return `${heading}\n${table(
      'Field',
      Object.values(type.getFields()).map((f) => row(schema, f)),
    )}`
  if (!isEnumType(type)) return heading
  const values = type.getValues().map((value) => ({ name: `\`${value.name}\``, text: meaning(value) }))
  const { cells, below } = splitLongCells(values)
  const rows = values.map(({ name }, index) => `| ${name} | ${cells[index]} |`)
  return `${heading}\n| Value | Meaning |\n| --- | --- |\n${rows.join('\n')}\n${below}`
}

interface Row {
  name: string
  type: string
  text: string
}

function table(first: string, rows: Row[]): string {
  const { cells, below } = splitLongCells(rows)
  const lines = rows.map(({ name, type }, index) => `| ${name} | ${type} | ${cells[index]} |`)
  return `| ${first} | Type | Meaning |\n| --- | --- | --- |\n${lines.join('\n')}\n${below}`
}

function fieldRows(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): Row[] {
  return [row(schema, field), ...field.args.map((argument) => row(schema, argument, `${field.name}(…)`))]
}

function row(
  schema: GraphQLSchema,
  part: GraphQLField<unknown, unknown> | GraphQLArgument | GraphQLInputField,
  of = '',
): Row {
  const name = of === '' ? `\`${part.name}\`` : `\`${of}\` argument \`${part.name}\``
  return { name, type: linked(schema, String(part.type)), text: meaning(part) }
}

/** Formats a type, such as \`[Quest!]!\`, with a link to Quest if the schema defines it. */
function linked(schema: GraphQLSchema, type: string): string {
  const name = type.replace(/[^A-Za-z0-9_]/g, '')
  const known = schema.getType(name)
  return known && !isSpecifiedScalarType(known) ? `[\`${type}\`](#${name.toLowerCase()})` : `\`${type}\``
}

function meaning(part: {
  description?: string | null | undefined
  deprecationReason?: string | null | undefined
}): string {
  const text = words(part.description).replaceAll('|', '\\|')
  return part.deprecationReason ? `${text} **Deprecated:** ${part.deprecationReason}`.trim() : text
}

const words = (description: string | null | undefined) => (description ?? '').replace(/\s+/g, ' ').trim()
