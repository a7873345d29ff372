import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerChallenge, createChallenge } from './challenge.ts'
import { challengeShape } from './challenge-shape.ts'
import { checkCsrf } from './csrf.ts'
import { viewKinds } from './kinds-view.ts'
import { confirmMerge, viewMerge } from './merge.ts'
import { signInOperations } from './operations.ts'
import { readBody, readName } from './read-body.ts'
import { endSession } from './session.ts'
import { viewSession } from './session-view.ts'
import type { SignIn } from './sign-in.ts'

/** Who is signed in, and how to sign in (contract 6, first five rows). */
export function registerIdentity(scope: FastifyInstance, signIn: SignIn): void {
  scope.get('/api/session', signInOperations.session, (request, reply) => viewSession(signIn, request, reply))

  scope.delete('/api/session', signInOperations.signOut, async (request, reply) => {
    checkCsrf(signIn, request)
    await endSession(signIn, request, reply)
    return reply.code(204).send()
  })

  scope.get('/api/identity-kinds', signInOperations.kinds, () => viewKinds(signIn))

  scope.post('/api/challenges', signInOperations.challenge, async (request, reply) => {
    checkCsrf(signIn, request)
    const challenge = await createChallenge(signIn, request, reply, readBody(challengeShape, request.body))
    return reply.code(201).send(challenge)
  })

  scope.post<{ Params: { id: string } }>(
    '/api/challenges/:id/proof',
    signInOperations.proof,
    async (request, reply) => {
      checkCsrf(signIn, request)
      const challengeId = readName(request.params.id, 'Challenge')
      const proof = readBody(z.looseObject({}), request.body)
      const { newSession, merge } = await answerChallenge(signIn, request, reply, challengeId, proof)
      return { ...(await viewSession(signIn, request, reply, newSession)), ...(merge && { merge }) }
    },
  )

  // The second step of a merge: what it would do, and doing it.
  scope.get<{ Params: { id: string } }>('/api/merges/:id', signInOperations.viewMerge, (request) =>
    viewMerge(signIn, request, readName(request.params.id, 'Merge')),
  )

  scope.post<{ Params: { id: string } }>('/api/merges/:id', signInOperations.merge, async (request, reply) => {
    checkCsrf(signIn, request)
    const newSession = await confirmMerge(signIn, request, reply, readName(request.params.id, 'Merge'))
    return viewSession(signIn, request, reply, newSession)
  })
}
