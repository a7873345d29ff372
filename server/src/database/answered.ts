import { AsyncLocalStorage } from 'node:async_hooks'

/** A request whose work is being done. */
export interface RequestAtWork {
  id: string
  wasAnswered: () => boolean
}

const requests = new AsyncLocalStorage<RequestAtWork>()

/**
 * Runs the work of a request. After the response was sent, for example after the time limit of requests, no transaction
 * of the request is committed: a client that received an error may repeat the request.
 */
export function whileUnanswered<T>(request: RequestAtWork, work: () => T): T {
  return requests.run(request, work)
}

/** The id of the request whose work this is; undefined for commands and clocks. */
export const idOfRequest = (): string | undefined => requests.getStore()?.id

/** Runs work that is committed also after the answer: others wait for it, or it continues in the background. */
export function beyondAnswer<T>(work: () => T): T {
  const request = requests.getStore()
  return request ? requests.run({ id: request.id, wasAnswered: () => false }, work) : work()
}

/** @throws if the response of the current request was already sent */
export function refuseWhenAnswered(): void {
  if (requests.getStore()?.wasAnswered()) throw new Error('the response was sent before the transaction was committed')
}
