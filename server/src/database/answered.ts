import { AsyncLocalStorage } from 'node:async_hooks'

/** A request whose work is being done. */
export interface RequestAtWork {
  id: string
  wasAnswered: () => boolean
}

const requests = new AsyncLocalStorage<RequestAtWork>()

/**
 * Runs the work of a request. Once it was answered, as after the time that requests have, no transaction that belongs to
 * it is committed any more: who was told that it failed may ask again.
 */
export function whileUnanswered<T>(request: RequestAtWork, work: () => T): T {
  return requests.run(request, work)
}

/** The id of the request whose work this is; undefined for commands and clocks. */
export const idOfRequest = (): string | undefined => requests.getStore()?.id

/** Runs what a request began and others wait for, or what goes on after its answer: it is committed all the same. */
export function beyondAnswer<T>(work: () => T): T {
  return requests.exit(work)
}

/** @throws when this is the work of a request that was answered meanwhile */
export function refuseWhenAnswered(): void {
  if (requests.getStore()?.wasAnswered())
    throw new Error('the request was answered before its transaction was committed')
}
