import { AsyncLocalStorage } from 'node:async_hooks'

/** A request whose work is running. */
export interface RequestContext {
  id: string
  isResponseSent: () => boolean
}

const requests = new AsyncLocalStorage<RequestContext>()

/**
 * Runs the work of a request. If the response is sent before the work ends, for example when the request times out, no
 * later transaction of the work is committed: a client that received an error may repeat the request.
 */
export function runInRequest<T>(request: RequestContext, work: () => T): T {
  return requests.run(request, work)
}

/** The ID of the current request; undefined in commands and background jobs. */
export const idOfRequest = (): string | undefined => requests.getStore()?.id

/** Runs work whose transactions are committed even after the response: other requests wait for it, or it runs in the background. */
export function allowAfterResponse<T>(work: () => T): T {
  const request = requests.getStore()
  return request ? requests.run({ id: request.id, isResponseSent: () => false }, work) : work()
}

/** @throws if the response of the current request was already sent */
export function requireNoResponse(): void {
  if (requests.getStore()?.isResponseSent())
    throw new Error('the response was sent before the transaction was committed')
}
