import type { Site } from './site.ts'

/**
 * Uploaded pictures are stored as a path with the name of their owner, and a version that changes with the picture.
 * Their URL is built when it is read, so that it follows a change of the public URL.
 */
const FOLDER = '/api/avatars/'
const UPLOADED = /^\/api\/avatars\/([\w-]+)\?v=[0-9a-f]+$/

export const picturePath = (username: string, version: string): string =>
  `${FOLDER}${encodeURIComponent(username)}?v=${version}`

/** The URL of a stored avatar: of a path, or of a picture elsewhere. */
export const avatarUrl = (stored: string, { issuer }: Pick<Site, 'issuer'>): string =>
  stored.startsWith(FOLDER) ? issuer + stored : stored

/** The path of an avatar, stored or as a URL, if this service stores the picture. */
export function uploadedPicture(avatar: string, { issuer }: Pick<Site, 'issuer'>): string | undefined {
  const path = avatar.startsWith(issuer) ? avatar.slice(issuer.length) : avatar
  return UPLOADED.test(path) ? path : undefined
}

export const pictureOwner = (path: string): string | undefined => UPLOADED.exec(path)?.[1]
