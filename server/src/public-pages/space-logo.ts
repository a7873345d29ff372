import { html, type Html } from '../text/html.ts'
import type { ShareCard } from './share-card.ts'
import type { PublishedSpace } from './space-pages.queries.ts'

type WithLogo = Pick<PublishedSpace, 'slug' | 'logoVersion'>

const LOGO = /^\/s\/([a-z0-9-]+)\/logo\.png\?v=/

/** The path of the logo of a space; undefined if it has no logo, or no public page. */
export const publicLogoPath = ({ slug, logoVersion }: { slug: string | null } & Pick<WithLogo, 'logoVersion'>) =>
  slug === null || logoVersion === null ? undefined : `/s/${slug}/logo.png?v=${logoVersion}`

/** The slug of the space whose logo is at this path; undefined for other pictures. */
export const slugOfLogo = (path: string): string | undefined => LOGO.exec(path)?.[1]

/** The logo of a space; undefined if it has none. The page shows the name next to it, so its alternative text is empty. */
export function spaceLogo(space: WithLogo, size: number): Html | undefined {
  const path = publicLogoPath(space)
  return path === undefined
    ? undefined
    : html`<img class="space-logo" src="${path}" width="${size}" height="${size}" alt="" decoding="async" />`
}

/** The logo of a space in the image of a page. */
export function logoOnCard(space: WithLogo): Pick<ShareCard, 'seed' | 'picture'> {
  const picture = publicLogoPath(space)
  return picture === undefined ? {} : { seed: space.slug, picture }
}
