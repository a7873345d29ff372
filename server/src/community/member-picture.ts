import { html, type Html } from '../text/html.ts'

/** The address of an uploaded picture: the name of its owner, and a version that changes with the picture. */
const UPLOADED = /^\/api\/avatars\/([\w-]+)\?v=[0-9a-f]+$/

/**
 * The path of a picture that this service stores. Undefined for others: pages load nothing from other hosts.
 * @param avatar as boards have it
 */
export function uploadedPicture(avatar: string, { issuer }: { issuer: string }): string | undefined {
  const path = avatar.startsWith(issuer) ? avatar.slice(issuer.length) : ''
  return UPLOADED.test(path) ? path : undefined
}

/** The name of the owner of an uploaded picture. */
export const pictureOwner = (path: string): string | undefined => UPLOADED.exec(path)?.[1]

/** Members of a board with the paths of their uploaded pictures. */
export const withPictures = <Row extends { address: { avatar: string } }>(
  rows: readonly Row[],
  site: { issuer: string },
): (Row & { address: Row['address'] & { picture: string | undefined } })[] =>
  rows.map((row) => ({ ...row, address: { ...row.address, picture: uploadedPicture(row.address.avatar, site) } }))

/** An uploaded picture. Nothing is shown when its owner has hidden it a moment ago. */
export const photo = (path: string, size: number): Html =>
  html`<img class="avatar" src="${path}" width="${size}" height="${size}" alt="" loading="lazy" decoding="async" />`
