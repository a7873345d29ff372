import type { FastifyInstance } from 'fastify'
import { route } from '../api/route.ts'
import { answerChallenge, createChallenge } from './challenge.ts'
import { viewKinds } from './kinds-view.ts'
import { confirmMerge, viewMerge } from './merge.ts'
import { signInDescriptions } from './route-descriptions.ts'
import { endSession } from '../sessions/session.ts'
import { viewSession } from '../sessions/session-view.ts'
import type { Services } from '../services.ts'

/** The session, and sign-in (docs/oauth.md, "Sign-in and consent"). */
export function registerIdentity(scope: FastifyInstance, services: Services): void {
  route(scope, services, signInDescriptions.session, ({ services, request, reply }) =>
    viewSession(services, request, reply),
  )

  route(scope, services, signInDescriptions.signOut, ({ services, request, reply }) =>
    endSession(services, request, reply),
  )

  route(scope, services, signInDescriptions.kinds, ({ services }) => viewKinds(services))

  route(scope, services, signInDescriptions.challenge, ({ body, ...call }) => createChallenge(call, body))

  route(scope, services, signInDescriptions.proof, async ({ services, request, reply, params, body }) => {
    const { newSession, merge } = await answerChallenge(services, request, reply, params.id, body)
    return { ...(await viewSession(services, request, reply, newSession)), ...(merge && { merge }) }
  })

  route(scope, services, signInDescriptions.viewMerge, ({ services, resource }) => viewMerge(services, resource))

  route(scope, services, signInDescriptions.merge, async ({ services, request, reply, resource }) => {
    const newSession = await confirmMerge(services, request, reply, resource)
    return viewSession(services, request, reply, newSession)
  })
}
