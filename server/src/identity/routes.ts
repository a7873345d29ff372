import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerChallenge, createChallenge } from './challenge.ts'
import { challengeShape } from './challenge-shape.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { viewKinds } from './kinds-view.ts'
import { confirmMerge, viewMerge } from './merge.ts'
import { signInOperations } from './operations.ts'
import { readBody, readName } from '../api/read-body.ts'
import { endSession } from '../sessions/session.ts'
import { viewSession } from './session-view.ts'
import type { Services } from '../services.ts'

/** Who is signed in, and how to sign in (contract 6, first five rows). */
export function registerIdentity(scope: FastifyInstance, services: Services): void {
  scope.get('/api/session', signInOperations.session, (request, reply) => viewSession(services, request, reply))

  scope.delete('/api/session', signInOperations.signOut, async (request, reply) => {
    checkCsrf(services, request)
    await endSession(services, request, reply)
    return reply.code(204).send()
  })

  scope.get('/api/identity-kinds', signInOperations.kinds, () => viewKinds(services))

  scope.post('/api/challenges', signInOperations.challenge, async (request, reply) => {
    checkCsrf(services, request)
    const challenge = await createChallenge(services, request, reply, readBody(challengeShape, request.body))
    return reply.code(201).send(challenge)
  })

  scope.post<{ Params: { id: string } }>(
    '/api/challenges/:id/proof',
    signInOperations.proof,
    async (request, reply) => {
      checkCsrf(services, request)
      const challengeId = readName(request.params.id, 'Challenge')
      const proof = readBody(z.looseObject({}), request.body)
      const { newSession, merge } = await answerChallenge(services, request, reply, challengeId, proof)
      return { ...(await viewSession(services, request, reply, newSession)), ...(merge && { merge }) }
    },
  )

  // The second step of a merge: what it would do, and doing it.
  scope.get<{ Params: { id: string } }>('/api/merges/:id', signInOperations.viewMerge, (request) =>
    viewMerge(services, request, readName(request.params.id, 'Merge')),
  )

  scope.post<{ Params: { id: string } }>('/api/merges/:id', signInOperations.merge, async (request, reply) => {
    checkCsrf(services, request)
    const newSession = await confirmMerge(services, request, reply, readName(request.params.id, 'Merge'))
    return viewSession(services, request, reply, newSession)
  })
}
