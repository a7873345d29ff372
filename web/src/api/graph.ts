import { loadFaultTexts, queryErrorText } from '../texts/faults.ts'
import { change } from './session.ts'

/** A query for the query service, in the form that any client with a token can send. */
export interface GraphqlRequest {
  query: string
  variables: Record<string, unknown>
}

interface Answer<Data> {
  data: Data
  errors?: { message: string; extensions: { code: string } }[]
}

/** A query that the query service rejected with an error. */
export class QueryFailure extends Error {
  override name = 'QueryFailure'
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/**
 * Sends a query as the signed-in account, with the same steps as `POST /query`. @throws QueryFailure for the first error;
 * ApiFailure when the request was refused as a whole
 */
export async function runQuery<Data>(request: GraphqlRequest): Promise<Data> {
  const { data, errors = [] } = await change<Answer<Data>>('POST', '/api/query', request)
  const [first] = errors
  if (!first) return data
  const { message, extensions } = first
  await loadFaultTexts()
  throw new QueryFailure(queryErrorText({ code: extensions.code, message }) ?? message, extensions.code)
}

/** The URL of the playground with a query in its editors. */
export function playgroundLink({ query, variables }: GraphqlRequest): string {
  const fragment = new URLSearchParams({ query, variables: JSON.stringify(variables, null, 2) })
  return `/playground#${fragment.toString()}`
}
