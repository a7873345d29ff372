import type { FastifyRequest } from 'fastify'
import { findProfile, type Profile, storeUploadedAvatar } from '../../accounts/profile.queries.ts'
import { audit } from '../../audit/audit.ts'
import { signInRequired, tooManyRequests } from '../../errors.ts'
import type { Renderer } from '../../images/renderer.ts'
import { readUploadedImage } from '../../images/uploaded-image.ts'
import { noteAddressesOf } from '../../ranking/profile-changes.queries.ts'
import { tryToUpdateProfiles } from '../../ranking/profile-changes.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import type { Services } from '../../services.ts'
import { type SessionRef, withSession } from '../../sessions/with-account.ts'
import { avatarUrl, picturePath } from '../../settings/uploaded-picture.ts'
import { changesByAccount } from './change-profile.ts'

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
  const { picture, version } = await readUploadedImage(renderer, image)
  const { profile, addresses } = await withSession(services, session, async (transaction) => {
    const before = await findProfile(transaction, accountId, services.site)
    if (!before) throw signInRequired()
    const path = picturePath(before.username, version)
    const avatar = avatarUrl(path, services.site)
    await storeUploadedAvatar(transaction, accountId, { path, picture })
    const { network } = request
    await audit(services, { accountId, event: 'profile.changed', details: { avatar }, network }, transaction)
    return {
      profile: { ...before, avatar, isUploaded: true },
      addresses: await noteAddressesOf(transaction, accountId),
    }
  })
  await tryToUpdateProfiles(services, addresses)
  return profile
}
