import type { FastifyInstance } from 'fastify'
import { checkCsrf } from '../identity/csrf.ts'
import { changeProfile, profileShape } from '../identity/profile.ts'
import { findProfile } from '../identity/profile.queries.ts'
import { readBody } from '../identity/read-body.ts'
import { requireSession } from '../identity/session.ts'
import type { SignIn } from '../identity/sign-in.ts'
import { accountOperations } from './operations.ts'

/** `/api/profile`: what the user shows on boards where a linked address stands. */
export function registerProfile(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/profile', accountOperations.profile, async (request) => {
    const { accountId } = await requireSession(signIn, request)
    return findProfile(signIn.database.kysely, accountId)
  })

  scope.patch('/api/profile', accountOperations.changeProfile, async (request) => {
    checkCsrf(signIn, request)
    const session = await requireSession(signIn, request)
    return changeProfile(signIn, request, session, readBody(profileShape, request.body))
  })
}
