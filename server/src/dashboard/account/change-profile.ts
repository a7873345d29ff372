import { wrongFormat } from '../../texts/faults.ts'
import { pattern } from '../../text/fault-of-issue.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { noteAddressesOf } from '../../ranking/profile-changes.queries.ts'
import { tryToUpdateProfiles } from '../../ranking/profile-changes.ts'
import { claimUsername, renameAccount } from '../../accounts/account.queries.ts'
import { fieldConflict, signInRequired, tooManyRequests } from '../../errors.ts'
import type { RateLimit } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import { audit } from '../../audit/audit.ts'
import { findProfile, type Profile, storeProfile } from '../../accounts/profile.queries.ts'
import type { Services } from '../../services.ts'
import { PLATFORM } from '../../settings/site.ts'
import { type SessionRef, withSession } from '../../sessions/with-account.ts'

/** Limited, because each change updates all boards of the account's addresses. */
export const changesByAccount: RateLimit = { name: 'profile', max: 30, seconds: 3600 }

export const usernameShape = z
  .string()
  .trim()
  .regex(pattern('username', /^[A-Za-z0-9_-]{3,40}$/), 'must be 3 to 40 letters, digits, _ or -')

/** The default account of commands, and names that could be mistaken for the operator's. */
const reservedNames = new Set([
  'default',
  ...['admin', 'administrator', 'root', 'system', 'operator', 'moderator', 'security'],
  ...['help', 'support', 'official', PLATFORM.toLowerCase()],
])

/** Whether a name is reserved. The name of the installation is reserved in every spelling. */
function isReserved({ brand }: Services['config'], username: string): boolean {
  const letters = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')
  return reservedNames.has(username.toLowerCase()) || letters(username) === letters(brand.name)
}

const MAX_AVATAR = 500
const avatarShape = z
  .string()
  .trim()
  .transform((text, context) => {
    const avatar = text === '' ? '' : readAvatar(text)
    if (avatar !== undefined) return avatar
    context.addIssue({
      code: 'custom',
      message: `must be empty or an https URL of at most ${MAX_AVATAR} characters, without user and password`,
      params: wrongFormat('picture_url'),
    })
    return z.NEVER
  })

/** The body of `PATCH /api/profile`. */
export const profileShape = z.strictObject({
  username: usernameShape.optional(),
  avatar: avatarShape.optional(),
  isPublic: z.boolean('must be true or false').optional(),
})

/** Normalizes the URL, so that pages load the URL that was validated. */
function readAvatar(text: string): string | undefined {
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { href, username, password } = new URL(text)
  return username === '' && password === '' && href.length <= MAX_AVATAR ? href : undefined
}

/** Changes the public profile on all boards of the account's addresses. @throws ApiError */
export async function changeProfile(
  services: Services,
  request: FastifyRequest,
  session: SessionRef,
  changes: z.infer<typeof profileShape>,
): Promise<Profile> {
  const { accountId } = session
  const count = await countAttempt(services, changesByAccount, accountId)
  if (count.exceeded) throw tooManyRequests(count.retryAfter)
  const { profile, addresses } = await withSession(services, session, async (transaction) => {
    const before = await findProfile(transaction, accountId, services.site)
    if (!before) throw signInRequired()
    // The address of an uploaded picture contains the username, and the picture stays if a client repeats the address.
    const avatar = changes.avatar === before.avatar ? undefined : changes.avatar
    const after = {
      username: changes.username ?? before.username,
      avatar: avatar ?? before.avatar,
      isPublic: changes.isPublic ?? before.isPublic,
      isUploaded: before.isUploaded && avatar === undefined,
    }
    const { network } = request
    if (after.username !== before.username) {
      const taken = isReserved(services.config, after.username)
      if (taken || !(await claimUsername(transaction, accountId, after.username)))
        throw fieldConflict('username', 'username_taken', 'This username is taken')
      await renameAccount(transaction, accountId, after.username)
      const details = { username: after.username }
      await audit(services, { accountId, event: 'account.renamed', details, network }, transaction)
      after.avatar = avatar ?? (await findProfile(transaction, accountId, services.site))?.avatar ?? ''
    }
    const { isPublic } = changes
    if (avatar !== undefined || isPublic !== undefined) {
      await storeProfile(transaction, accountId, { avatar, isPublic: after.isPublic })
      const details = {
        ...(avatar !== undefined && { avatar }),
        ...(isPublic !== undefined && { isPublic: String(isPublic) }),
      }
      await audit(services, { accountId, event: 'profile.changed', details, network }, transaction)
    }
    return { profile: after, addresses: await noteAddressesOf(transaction, accountId) }
  })
  await tryToUpdateProfiles(services, addresses)
  return profile
}
