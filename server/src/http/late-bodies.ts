import type { IncomingMessage } from 'node:http'

/** Requests that are not worked on because their bodies are not there yet. */
export interface LateBodies {
  /** Above `most`, cuts off the oldest request. */
  add(request: IncomingMessage): void
  /** Whether it was one of them. */
  delete(request: IncomingMessage): boolean
}

export function lateBodies(most: number): LateBodies {
  const late = new Set<IncomingMessage>()
  return {
    add(request) {
      late.add(request)
      const [oldest] = late.size > most ? late : []
      if (!oldest) return
      late.delete(oldest)
      oldest.destroy()
    },
    delete: (request) => late.delete(request),
  }
}
