import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, type GraphQLSchema, printSchema } from 'graphql'

const files = [
  'graphql/schema.graphql',
  'features/starboard/starboard.graphql',
  'features/space/space.graphql',
  'features/credential/credential.graphql',
  'features/quest/quest.graphql',
]

/** The schema, put together from the features' SDL files. */
export const schema: GraphQLSchema = buildSchema(
  files.map((file) => readFileSync(join(import.meta.dirname, '..', file), 'utf8')).join('\n'),
)

/** The whole SDL with descriptions: the contract with clients, committed as schema.graphql. */
export const sdl = `${printSchema(schema)}\n`
