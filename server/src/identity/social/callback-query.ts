import { readParameter } from './start-query.ts'

/** The query of `GET /identity/{kind}/callback`, to which the other site redirects. */
export interface CallbackQuery {
  state: string | undefined
  code: string | undefined
  error: string | undefined
  issuer: string | undefined
}

/** @throws ApiError that names a parameter that occurs more than once */
export const readCallbackQuery = (query: Record<string, unknown>): CallbackQuery => ({
  state: readParameter(query, 'state'),
  code: readParameter(query, 'code'),
  error: readParameter(query, 'error'),
  issuer: readParameter(query, 'iss'),
})
