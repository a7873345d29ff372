import type { FastifyInstance, FastifyReply } from 'fastify'
import { HOUR, MINUTE, SECOND } from '../../clock.ts'
import { notFound, tooManyRequests } from '../../errors.ts'
import { route } from '../../api/route.ts'
import { findAvatar, findStarboardAvatar } from './avatar.queries.ts'
import { createAvatars, type Picture } from './avatars.ts'
import { changeProfile } from './change-profile.ts'
import { findProfile, findPublicAvatar, findUploadedAvatar } from '../../accounts/profile.queries.ts'
import { PICTURE_HEADERS } from '../../images/picture-headers.ts'
import type { Renderer } from '../../images/renderer.ts'
import { avatarReadsByNetwork } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import type { Services } from '../../services.ts'
import { pictureOwner, uploadedPicture } from '../../settings/uploaded-picture.ts'
import { accountDescriptions } from './account-route-descriptions.ts'
import { uploadAvatar } from './upload-avatar.ts'

/** Caches keep a picture for this time after its owner has hidden or deleted it. */
const UPLOADED_LIFETIME = MINUTE

/** `/api/profile`: the public profile on boards. `/api/avatars`: the pictures on boards. */
export function registerProfile(scope: FastifyInstance, services: Services, renderer: Renderer): void {
  const { kysely } = services.database
  const readAvatar = createAvatars(services)
  const { site } = services
  const readUploaded = async (path: string): Promise<Picture | undefined> => {
    const bytes = await findPublicAvatar(kysely, pictureOwner(path) ?? '')
    return bytes && { type: 'image/png', bytes }
  }
  const sendPicture = async (reply: FastifyReply, avatar: string, accountId: string) => {
    if (avatar === '') throw notFound('Avatar')
    const path = uploadedPicture(avatar, site)
    const picture = await (path === undefined ? readAvatar(avatar, accountId) : readUploaded(path))
    // Responds with 204, not with an error: a page shows a generated picture, and browsers log errors of images.
    if (!picture) return reply.code(204).header('cache-control', 'private, max-age=600').send()
    // The owner of an uploaded picture can hide it.
    const lifetime = path === undefined ? HOUR : UPLOADED_LIFETIME
    return reply
      .headers({ ...PICTURE_HEADERS, 'content-type': picture.type })
      .header('cache-control', `private, max-age=${lifetime / SECOND}`)
      .send(picture.bytes)
  }

  route(scope, services, accountDescriptions.ownAvatar, async ({ reply, accountId }) => {
    const own = await findUploadedAvatar(kysely, accountId)
    if (!own) return sendPicture(reply, (await findProfile(kysely, accountId, site))?.avatar ?? '', accountId)
    return reply
      .headers({ ...PICTURE_HEADERS, 'content-type': 'image/png', 'cache-control': 'private, max-age=3600' })
      .send(own)
  })

  route(scope, services, accountDescriptions.uploadAvatar, ({ services, request, session, body }) =>
    uploadAvatar(services, renderer, request, session, body.image),
  )

  route(scope, services, accountDescriptions.publicAvatar, async ({ reply, network, params }) => {
    const { exceeded, retryAfter } = await countAttempt(services, avatarReadsByNetwork, network)
    if (exceeded) throw tooManyRequests(retryAfter)
    const bytes = await findPublicAvatar(kysely, params.username)
    if (!bytes) throw notFound('Avatar')
    return reply
      .headers({
        ...PICTURE_HEADERS,
        'content-type': 'image/png',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': `public, max-age=${UPLOADED_LIFETIME / SECOND}`,
      })
      .send(bytes)
  })

  route(scope, services, accountDescriptions.avatar, async ({ reply, accountId, query }) => {
    const avatar =
      query.starboard === undefined
        ? await findAvatar(kysely, query.address)
        : await findStarboardAvatar(kysely, query.starboard, query.username)
    return sendPicture(reply, avatar, accountId)
  })

  route(scope, services, accountDescriptions.profile, ({ accountId }) => findProfile(kysely, accountId, site))

  route(scope, services, accountDescriptions.changeProfile, ({ services, request, session, body }) =>
    changeProfile(services, request, session, body),
  )
}
