import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql'
import { type Access, accessWith } from './access.ts'
import { type QueryResponse, sendQuery } from './query-endpoint.ts'

export type Connection = { access: Access } & (
  | { state: 'no-token' }
  | { state: 'connecting' }
  | { state: 'connected'; schema: GraphQLSchema }
  | { state: 'refused'; response: QueryResponse }
)

/** Reads the schema with the token, or with the session if there is no token. This one query also validates the token. */
export async function connect(token: string): Promise<Connection> {
  const access = await accessWith(token)
  if ('token' in access && access.token === '') return { state: 'no-token', access }
  const response = await sendQuery({ query: getIntrospectionQuery({ inputValueDeprecation: true }) }, access)
  const data: unknown = response.body.data
  if (response.body.errors !== undefined || !isIntrospection(data)) return { state: 'refused', access, response }
  return { state: 'connected', access, schema: buildClientSchema(data) }
}

function isIntrospection(data: unknown): data is IntrospectionQuery {
  return typeof data === 'object' && data !== null && '__schema' in data
}
