import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../errors.ts'
import { route } from '../api/route.ts'
import { findAvatar, findStarboardAvatar } from '../identity/avatar.queries.ts'
import { createAvatars } from '../identity/avatars.ts'
import { changeProfile } from './change-profile.ts'
import { findProfile } from '../accounts/profile.queries.ts'
import type { Services } from '../services.ts'
import { accountOperations } from './account-operations.ts'

/** `/api/profile`: the public profile on boards. `/api/avatars`: the pictures on boards. */
export function registerProfile(scope: FastifyInstance, services: Services): void {
  const { kysely } = services.database
  const readAvatar = createAvatars(services)
  const sendPicture = async (reply: FastifyReply, url: string, accountId: string) => {
    if (url === '') throw notFound('Avatar')
    const picture = await readAvatar(url, accountId)
    // Not an error: a page shows a generated picture, and browsers log errors of images.
    if (!picture) return reply.code(204).header('cache-control', 'private, max-age=600').send()
    return reply
      .header('content-type', picture.type)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'private, max-age=3600')
      .send(picture.bytes)
  }

  route(scope, services, accountOperations.ownAvatar, async ({ reply, accountId }) =>
    sendPicture(reply, (await findProfile(kysely, accountId))?.avatar ?? '', accountId),
  )

  route(scope, services, accountOperations.avatar, async ({ reply, accountId, query }) => {
    const url =
      query.starboard === undefined
        ? await findAvatar(kysely, query.address)
        : await findStarboardAvatar(kysely, query.starboard, query.username)
    return sendPicture(reply, url, accountId)
  })

  route(scope, services, accountOperations.profile, ({ accountId }) => findProfile(kysely, accountId))

  route(scope, services, accountOperations.changeProfile, ({ services, request, session, body }) =>
    changeProfile(services, request, session, body),
  )
}
