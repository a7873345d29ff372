import type { IncomingMessage } from 'node:http'

/** Requests that wait for their bodies. */
export interface LateBodies {
  /** Above `max`, destroys the oldest request. */
  add(request: IncomingMessage): void
  /** Returns whether the request was waiting for its body. */
  delete(request: IncomingMessage): boolean
}

export function lateBodies(max: number): LateBodies {
  const late = new Set<IncomingMessage>()
  return {
    add(request) {
      late.add(request)
      const [oldest] = late.size > max ? late : []
      if (!oldest) return
      late.delete(oldest)
      oldest.destroy()
    },
    delete: (request) => late.delete(request),
  }
}
