import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql'
import { type Access, accessWith } from './access.ts'
import { type Answer, sendQuery } from './query-endpoint.ts'

export type Connection = { access: Access } & (
  | { state: 'no-token' }
  | { state: 'connecting' }
  | { state: 'connected'; schema: GraphQLSchema }
  | { state: 'refused'; answer: Answer }
)

/** Reads the schema with the token, or with the session if there is no token. This one query also validates the token. */
export async function connect(token: string): Promise<Connection> {
  const access = await accessWith(token)
  if ('token' in access && access.token === '') return { state: 'no-token', access }
  const answer = await sendQuery({ query: getIntrospectionQuery({ inputValueDeprecation: true }) }, access)
  const data: unknown = answer.body.data
  if (answer.body.errors !== undefined || !isIntrospection(data)) return { state: 'refused', access, answer }
  return { state: 'connected', access, schema: buildClientSchema(data) }
}

function isIntrospection(data: unknown): data is IntrospectionQuery {
  return typeof data === 'object' && data !== null && '__schema' in data
}
