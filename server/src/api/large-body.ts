import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, unavailable } from '../errors.ts'

/** A body that is larger than those of other routes. */
export interface LargeBody {
  /** The maximum size, in bytes. */
  bytes: number
  /** Milliseconds until the request must have ended. Fastify's own timer ends when the body was read. */
  timeout: number
  /** Requests of the route at a time in one process, and one of each account. */
  concurrent: number
}

interface Admitted<Caller> {
  caller: Caller
  deadline: AbortSignal
  release: () => void
}

/**
 * Admits the senders of large bodies to a route, before their bodies are read. A place is free again when the handler ends,
 * or when the connection closes before the handler begins.
 */
export function createAdmission<Caller extends object>(
  { concurrent, timeout }: Pick<LargeBody, 'concurrent' | 'timeout'>,
  check: (request: FastifyRequest) => Promise<Caller>,
) {
  const sending = new Set<string>()
  const waiting = new WeakMap<FastifyRequest, Admitted<Caller>>()
  return {
    async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const deadline = AbortSignal.timeout(timeout)
      const caller = await check(request)
      const account = 'accountId' in caller ? String(caller.accountId) : ''
      if (sending.has(account) || sending.size >= concurrent) throw tooMany()
      sending.add(account)
      // A second call must not free the place of the account's next request.
      let held = true
      const release = () => {
        if (held) sending.delete(account)
        held = false
      }
      waiting.set(request, { caller, deadline, release })
      // The client can have gone during the check, or got a response because of the timeout.
      if (request.raw.socket.destroyed || reply.raw.writableEnded) release()
      else reply.raw.once('close', () => waiting.get(request)?.release())
    },
    /**
     * Runs the handler; the place then belongs to it, also if the client disconnects. The handler must end when the signal
     * aborts. @throws ServiceError UNAVAILABLE after the timeout
     */
    async run<T>(request: FastifyRequest, handle: (caller: Caller, deadline: AbortSignal) => Promise<T>): Promise<T> {
      const admitted = waiting.get(request)
      if (!admitted) throw new Error('the request was not admitted')
      waiting.delete(request)
      try {
        return await handle(admitted.caller, admitted.deadline)
      } catch (error) {
        throw error === admitted.deadline.reason ? unavailable(error) : error
      } finally {
        admitted.release()
      }
    },
  }
}

const tooMany = () =>
  new ApiError('too_many_requests', 'Other large requests are in progress; repeat the request after a moment', {
    headers: { 'retry-after': '5' },
  })
