import type { Caller } from '../access/caller.ts'
import type { QueryCode } from '../error-codes.ts'
import { RequestFailure, ServiceError } from '../errors.ts'
import type { CacheValidator } from '../graphql/cache-validators.ts'
import type { ErrorEntry } from './error-envelope.ts'
import { JSON_TYPE } from './media-types.ts'
import { executeRequest, type QueryServices, type RequestRecord } from './query-response.ts'

/** Runs a query of the service itself. @returns `data` */
export type ServiceQuery = (query: string, variables: object) => Promise<unknown>

/** The same, with the validators of the data; undefined if the data must not be reused. */
export type ValidatedQuery = (
  query: string,
  variables: object,
) => Promise<{ data: unknown; validators: readonly CacheValidator[] | undefined }>

/**
 * A query of the service itself, for its own pages: without token, quota and usage figures.
 * @returns `data`
 * @throws RequestFailure if any field failed
 */
export function createServiceQuery(services: QueryServices, caller: Caller): ServiceQuery {
  const ask = createValidatedQuery(services, caller)
  return async (query, variables) => (await ask(query, variables)).data
}

/** @throws RequestFailure if any field failed */
export function createValidatedQuery(services: QueryServices, caller: Caller): ValidatedQuery {
  return (query, variables) => {
    const record = { requestId: services.random.requestId(), contentType: JSON_TYPE }
    return validatedQueryAs(services, caller, record, { query, variables })
  }
}

/**
 * A query for a caller that another route has authenticated and charged to its quota.
 * @returns `data`
 * @throws RequestFailure if any field failed
 */
export async function queryAs(
  services: QueryServices,
  caller: Caller,
  record: RequestRecord,
  asked: { query: string; variables: object },
): Promise<unknown> {
  return (await validatedQueryAs(services, caller, record, asked)).data
}

async function validatedQueryAs(
  services: QueryServices,
  caller: Caller,
  record: RequestRecord,
  asked: { query: string; variables: object },
): ReturnType<ValidatedQuery> {
  const text = JSON.stringify(asked)
  const cached = await services.responseCache.find(text)
  const { body, validators } = await executeRequest(services, { text, cached }, caller, record)
  const { data, errors = [] } = JSON.parse(body.toString()) as { data: unknown; errors?: ErrorEntry[] }
  if (errors.length === 0) return { data, validators }
  throw new RequestFailure(
    errors.map(
      ({ extensions: { code, details }, message }) =>
        new ServiceError(code as QueryCode, message, details && { details: [...details] }),
    ),
  )
}
