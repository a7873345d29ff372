import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql'
import { type Answer, ask } from './query-endpoint.ts'

export type Connection =
  | { state: 'no-token' }
  | { state: 'connecting' }
  | { state: 'connected'; schema: GraphQLSchema }
  | { state: 'refused'; answer: Answer }

/** Reads the schema with the token. This one query also validates the token. */
export async function connect(token: string): Promise<Connection> {
  if (token === '') return { state: 'no-token' }
  const answer = await ask({ query: getIntrospectionQuery({ inputValueDeprecation: true }) }, token)
  const data: unknown = answer.body.data
  if (answer.body.errors !== undefined || !isIntrospection(data)) return { state: 'refused', answer }
  return { state: 'connected', schema: buildClientSchema(data) }
}

function isIntrospection(data: unknown): data is IntrospectionQuery {
  return typeof data === 'object' && data !== null && '__schema' in data
}
