import type { FastifyInstance } from 'fastify'
import type { Logger } from '../logging/log.ts'

/** The client and grant of a request, as far as known. Contains no secrets. */
export interface Subject {
  client_id?: string
  grant_id?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    subject: Subject | null
  }
}

/** The id of a grant in the log (docs/watch.md): its family, which is also the prefix of its tokens. */
export const grantId = (family: Buffer): string => family.toString('hex')

/** Returns the text if it has the format of an id. Other text may be a misplaced secret, which must not be logged. */
export const claimedId = (text: string | undefined): string | undefined =>
  text !== undefined && /^[A-Za-z0-9]{1,40}$/.test(text) ? text : undefined

/** Writes one log line for each response (docs/watch.md). */
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
