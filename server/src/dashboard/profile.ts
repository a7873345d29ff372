import type { FastifyInstance, FastifyReply } from 'fastify'
import { withinLength } from '../text/characters.ts'
import { invalidField, notFound } from '../api/api-error.ts'
import { findAvatar, findStarboardAvatar } from '../identity/avatar.queries.ts'
import { createAvatars } from '../identity/avatars.ts'
import { checkCsrf } from '../sessions/csrf.ts'
import { changeProfile, profileShape } from '../accounts/profile.ts'
import { findProfile } from '../accounts/profile.queries.ts'
import { readBody } from '../api/read-body.ts'
import { requireSession } from '../sessions/session.ts'
import type { Services } from '../services.ts'
import { accountOperations } from './operations.ts'

const MAX_NAME = 320

/** `/api/profile`: what the user shows on boards where a linked address stands. `/api/avatars`: the pictures there. */
export function registerProfile(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const readAvatar = createAvatars(services)
  const sendPicture = async (reply: FastifyReply, url: string, accountId: string) => {
    const picture = url === '' ? undefined : await readAvatar(url, accountId)
    if (!picture) throw notFound('Avatar')
    return reply
      .header('content-type', picture.type)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'private, max-age=3600')
      .send(picture.bytes)
  }

  scope.get('/api/profile/avatar', accountOperations.ownAvatar, async (request, reply) => {
    const { accountId } = await requireSession(services, request)
    return sendPicture(reply, (await findProfile(kysely, accountId))?.avatar ?? '', accountId)
  })

  scope.get('/api/avatars', accountOperations.avatar, async (request, reply) => {
    const { accountId } = await requireSession(services, request)
    const query = request.query as Record<string, unknown>
    const url =
      query.starboard === undefined
        ? await findAvatar(kysely, nameIn(query, 'address'))
        : await findStarboardAvatar(kysely, nameIn(query, 'starboard'), nameIn(query, 'username'))
    return sendPicture(reply, url, accountId)
  })

  scope.get('/api/profile', accountOperations.profile, async (request) => {
    const { accountId } = await requireSession(services, request)
    return findProfile(kysely, accountId)
  })

  scope.patch('/api/profile', accountOperations.changeProfile, async (request) => {
    checkCsrf(services, request)
    const session = await requireSession(services, request)
    return changeProfile(services, request, session, readBody(profileShape, request.body))
  })
}

function nameIn(query: Record<string, unknown>, field: string): string {
  const text = query[field]
  if (typeof text !== 'string' || text === '' || !withinLength(text, MAX_NAME) || text.includes('\0'))
    throw invalidField(field, `must be 1 to ${MAX_NAME} characters`)
  return text
}
