import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { findProfile, type Profile, storeUploadedAvatar } from '../../accounts/profile.queries.ts'
import { audit } from '../../audit/audit.ts'
import { invalidField, signInRequired, tooManyRequests } from '../../errors.ts'
import type { Renderer } from '../../images/renderer.ts'
import { MAX_SIDE, MIN_SIDE, squarePicture } from '../../images/square-picture.ts'
import { noteAddressesOf } from '../../ranking/profile-changes.queries.ts'
import { tryToUpdateProfiles } from '../../ranking/profile-changes.ts'
import { countAttempt } from '../../rate-limit/rate-limit.ts'
import type { Services } from '../../services.ts'
import { type SessionRef, withSession } from '../../sessions/with-account.ts'
import { avatarUrl, picturePath } from '../../settings/uploaded-picture.ts'
import { changesByAccount } from './change-profile.ts'

const MAX_BYTES = 128 * 1024
const MAX_TEXT = Math.ceil(MAX_BYTES / 3) * 4
const ALLOWED = `must be a PNG or JPEG image of at most ${MAX_BYTES / 1024} KiB in base64, with ${MIN_SIDE} to ${MAX_SIDE} pixels on each side`

/** The body of `PUT /api/profile/avatar`. */
export const avatarUploadShape = z.strictObject({
  image: z
    .string(ALLOWED)
    .max(MAX_TEXT, ALLOWED)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, ALLOWED)
    .describe('the image in base64'),
})

const versionOf = (picture: Buffer): string => createHash('sha256').update(picture).digest('hex').slice(0, 12)

/** Shows an image as the avatar of the account on all boards. @throws ApiError */
export async function uploadAvatar(
  services: Services,
  renderer: Renderer,
  request: FastifyRequest,
  session: SessionRef,
  image: string,
): Promise<Profile> {
  const { accountId } = session
  const count = await countAttempt(services, changesByAccount, accountId)
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
  const picture = await squarePicture(renderer, Buffer.from(image, 'base64'))
  if (!picture) throw invalidField('image', ALLOWED)
  const { profile, addresses } = await withSession(services, session, async (transaction) => {
    const before = await findProfile(transaction, accountId, services.site)
    if (!before) throw signInRequired()
    const path = picturePath(before.username, versionOf(picture))
    const avatar = avatarUrl(path, services.site)
    await storeUploadedAvatar(transaction, accountId, { path, picture })
    const details = { avatar, isPublic: String(before.isPublic) }
    await audit(services, { accountId, event: 'profile.changed', details, network: request.network }, transaction)
    return {
      profile: { ...before, avatar, isUploaded: true },
      addresses: await noteAddressesOf(transaction, accountId),
    }
  })
  await tryToUpdateProfiles(services, addresses)
  return profile
}
