import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { findPublicAvatar } from '../accounts/profile.queries.ts'
import { createRecent } from '../cache/recent-cache.ts'
import { MINUTE, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { ServiceError } from '../errors.ts'
import type { Renderer } from '../images/renderer.ts'
import { shareImagesByNetwork } from '../rate-limits/limits.ts'
import type { Services } from '../services.ts'
import type { Brand, Logo } from '../settings/brand.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { drawCard } from './draw-card.ts'
import { pictureOwner } from '../settings/uploaded-picture.ts'
import type { Shown } from './parts.ts'
import type { ShareCard } from './share-card.ts'
import { sendShown } from './send-shown.ts'
import { slugOfLogo } from './space-logo.ts'
import { findLogoBySlug } from './space-pages.queries.ts'

const LIFETIME = 5 * MINUTE
/** The images in memory, about 300. */
const CACHE_BYTES = 16 * 1024 * 1024
/** The renderer reads no WebP. */
const DRAWABLE_LOGOS = ['image/svg+xml', 'image/png', 'image/jpeg']

interface ShareServices extends Pick<Services, 'database' | 'clock' | 'site'> {
  brand: Brand
  renderer: Renderer
  /** Folder of the built pages, which contains the default logo. */
  webDist: string
}

type Send = (
  request: FastifyRequest,
  reply: FastifyReply,
  texts: PageTexts,
  show: () => Promise<Shown | undefined>,
) => Promise<FastifyReply>

/**
 * Sends the images for link previews of pages as PNG files. The ETag is computed from the SVG document before it is
 * drawn.
 */
export function createShareImages(services: ShareServices): Send {
  const { brand, renderer, site, webDist, database } = services
  const drawn = createRecent<Buffer>(CACHE_BYTES, (_, image) => image.length)
  const running = new Map<string, Promise<Buffer>>()
  let standardLogo: Promise<Logo | undefined> | undefined

  async function draw(svg: string): Promise<Buffer> {
    const key = createHash('sha256').update(svg).digest('base64url')
    const known = drawn.get(key) ?? running.get(key)
    if (known) return known
    const drawing = renderer
      .render(svg)
      .then((image) => {
        drawn.set(key, image)
        return image
      })
      .finally(() => running.delete(key))
    running.set(key, drawing)
    return drawing
  }

  return (request, reply, texts, show) =>
    sendShown(services, request, reply, {
      type: 'image/png',
      texts,
      limit: shareImagesByNetwork,
      headers: {
        'content-security-policy': "default-src 'none'",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      },
      cacheControl: `public, max-age=${LIFETIME / SECOND}`,
      async show() {
        const card = (await show())?.card
        if (!card) return undefined
        const logo = brand.logo ?? (await (standardLogo ??= defaultLogo(webDist)))
        return drawCard(card, {
          brand,
          host: new URL(site.origin).host,
          logo: logo && DRAWABLE_LOGOS.includes(logo.type) ? logo : undefined,
          pictures: await readPictures(database.kysely, card),
        })
      },
      convert: (svg) => draw(svg).catch(whenFull),
      replacement: () => readFile(join(webDist, 'assets', 'share.png')),
    })
}

/** The pictures of a card that are public now, by path. */
async function readPictures(kysely: Kysely<DB>, { picture, panels }: ShareCard): Promise<Map<string, Buffer>> {
  const paths = [picture, ...panels.map((panel) => panel.picture)].filter((path) => path !== undefined)
  const read = paths.map(async (path) => [path, await readPicture(kysely, path)] as const)
  return new Map((await Promise.all(read)).filter((entry): entry is [string, Buffer] => entry[1] !== undefined))
}

/** The picture at a path, of a space or of a member. */
function readPicture(kysely: Kysely<DB>, path: string): Promise<Buffer | undefined> {
  const slug = slugOfLogo(path)
  return slug === undefined ? findPublicAvatar(kysely, pictureOwner(path) ?? '') : findLogoBySlug(kysely, slug)
}

/** Returns undefined if the image cannot be drawn now. The response is then the picture of the installation. */
function whenFull(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.code === 'UNAVAILABLE')) throw error
}

async function defaultLogo(webDist: string): Promise<Logo | undefined> {
  const bytes = await readFile(join(webDist, 'assets', 'icon.svg')).catch(() => undefined)
  return bytes && { type: 'image/svg+xml', bytes }
}
