import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertScalarType, buildSchema, type GraphQLSchema, Kind, printSchema } from 'graphql'

const files = [
  'graphql/schema.graphql',
  'resolvers/starboard/starboard.graphql',
  'resolvers/space/space.graphql',
  'resolvers/credential/credential.graphql',
  'resolvers/quest/quest.graphql',
]

/** The schema, combined from the SDL files in resolvers/. */
export const schema: GraphQLSchema = buildSchema(
  files.map((file) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')).join('\n'),
)

/**
 * `Int` accepts the same values as hosted platforms (docs/differences.md): texts such as `"40"` in variables, and whole
 * numbers beyond 32 bits. Resolvers check the range before a value reaches the database.
 */
const int = assertScalarType(schema.getType('Int'))
const { coerceInputValue, coerceInputLiteral } = int
int.coerceInputValue = (value) => (isIntegral(value) ? Number(value) : coerceInputValue(value))
int.coerceInputLiteral = (node) => (node.kind === Kind.INT ? Number(node.value) : coerceInputLiteral?.(node))

function isIntegral(value: unknown): boolean {
  return (
    typeof value === 'bigint' || Number.isInteger(value) || (typeof value === 'string' && /^[+-]?\d{1,20}$/.test(value))
  )
}

/** The whole SDL with descriptions: the contract with clients, committed as schema.graphql. */
export const sdl = `${printSchema(schema)}\n`
