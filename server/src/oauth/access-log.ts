import type { FastifyInstance } from 'fastify'
import type { Logger } from '../logging/log.ts'

/** Whom a request is about, as far as it got: ids, of which none is worth anything. */
export interface Subject {
  client_id?: string
  grant_id?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Filled in on the way. */
    subject: Subject | null
  }
}

/** The id of a grant in the log: the name of its family, which all its tokens begin with (docs/watch.md). */
export const grantId = (family: Buffer): string => family.toString('hex')

/** An id that somebody claims to have; a text that cannot be one is not written down: it may be a secret in the wrong place. */
export const claimedId = (text: string | undefined): string | undefined =>
  text !== undefined && /^[A-Za-z0-9]{1,40}$/.test(text) ? text : undefined

/** A line in the log for each request that was answered, as queries have one (docs/watch.md). */
export function logOauthAccess(scope: FastifyInstance, log: Logger): void {
  scope.decorateRequest('subject', null)
  scope.addHook('onRequest', (request, _reply, done) => {
    request.subject = {}
    done()
  })
  scope.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request_id: request.id,
        ...request.subject,
        operation: `${request.method} ${request.routeOptions.url ?? ''}`,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 1e3) / 1e3,
      },
      'oauth',
    )
  })
}

export function subjectOf({ subject }: { subject: Subject | null }): Subject {
  if (!subject) throw new Error('a route of the OAuth endpoints runs without its subject')
  return subject
}
