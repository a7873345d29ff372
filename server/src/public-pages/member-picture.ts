import { uploadedPicture } from '../settings/uploaded-picture.ts'
import { html, type Html } from '../text/html.ts'

/** Members of a board with the paths of their uploaded pictures. Pages load no pictures from other hosts. */
export const withPictures = <Row extends { address: { avatar: string } }>(
  rows: readonly Row[],
  site: { issuer: string },
): (Row & { address: Row['address'] & { picture: string | undefined } })[] =>
  rows.map((row) => ({ ...row, address: { ...row.address, picture: uploadedPicture(row.address.avatar, site) } }))

/** An uploaded picture. If its owner has just hidden it, nothing is shown. */
export const photo = (path: string, size: number): Html =>
  html`<img class="avatar" src="${path}" width="${size}" height="${size}" alt="" loading="lazy" decoding="async" />`
