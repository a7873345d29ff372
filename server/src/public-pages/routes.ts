import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { canonicalMember } from '../addresses/addresses.ts'
import { cachedFor } from '../cache/cached-for.ts'
import { HOUR, SECOND } from '../clock.ts'
import { type PageAddress, staticPage, staticPagePolicy, withLanguage } from '../http/static-page.ts'
import { tooManyRequests } from '../errors.ts'
import { SECURITY_HEADERS } from '../http/page-policy.ts'
import { PICTURE_HEADERS } from '../images/picture-headers.ts'
import type { Renderer } from '../images/renderer.ts'
import { COMMUNITIES_LIFETIME } from '../lifetimes.ts'
import { logoReadsByNetwork } from '../rate-limits/limits.ts'
import { countAttempt } from '../rate-limits/fixed-window.ts'
import type { Services } from '../services.ts'
import type { Brand } from '../settings/brand.ts'
import { escapeHtml } from '../text/html.ts'
import { languages } from '../texts/languages.ts'
import { type PageTexts, pageTexts } from '../texts/page-texts.ts'
import { languageInUrl, languageOf } from '../texts/request-language.ts'
import { readFind } from './find-member.ts'
import { homePage, readCommunities } from './home-page.ts'
import type { PageCache } from './page-cache.ts'
import { LIVE_BOARD } from './live-board.ts'
import { OWN_QUESTS } from './own-quests.ts'
import { OWN_ROWS } from './own-rows.ts'
import type { ServiceQuery, Shown, ValidatedQuery } from './parts.ts'
import { memberPage } from './member-page.ts'
import { registerEmbeds } from './embed-routes.ts'
import { questPage, readQuest } from './quest-page.ts'
import { questsPage, readQuestState } from './quests-page.ts'
import { readId } from './requests.ts'
import { sendMissing, sendShown } from './send-shown.ts'
import { SHARE_HEIGHT, SHARE_WIDTH } from './draw-card.ts'
import { cardVersion, describeCard } from './share-card.ts'
import { createShareImages } from './share-images.ts'
import { SLUG } from './slug.ts'
import { starboardPage } from './starboard-page.ts'
import { hasStarboardPage, listStarboardPages } from './starboard-pages.queries.ts'
import {
  findLogoBySlug,
  findPageBySlug,
  findPageOfSpace,
  listPages,
  type PublishedSpace,
} from './space-pages.queries.ts'
import { type Movement, movements, spacePage } from './space-page.ts'

const styleOf = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const SHARED = styleOf('button.css') + styleOf('space-logo.css')
const STYLE = SHARED + styleOf('public-page.css')
const HOME_STYLE = SHARED + styleOf('home.css')
/** The time for which browsers and proxies cache a logo. A new logo has a new URL. */
const LOGO_LIFETIME = HOUR
/** The maximum number of URLs in a sitemap (sitemaps.org). */
const MAX_URLS = 50_000
/** User agents that fetch previews of posted links. In `robots.txt`, they may also read pages of members. */
const PREVIEWS = [
  'Twitterbot',
  'facebookexternalhit',
  'LinkedInBot',
  'Slackbot-LinkExpanding',
  'Discordbot',
  'TelegramBot',
]

/** The public pages of communities, for people and for search engines: spaces, members, starboards and quests. */
export function registerPublicPages(
  fastify: FastifyInstance,
  services: Pick<Services, 'database' | 'clock' | 'site'> & {
    brand: Brand
    renderer: Renderer
    pageCache: PageCache
    webDist: string
  },
  ask: ServiceQuery,
  askValidated: ValidatedQuery,
): void {
  const { clock, site, brand, database, pageCache } = services
  const { kysely } = database
  const lookOf = (look: { style: string; script?: string }): Look => ({
    ...look,
    headers: { ...SECURITY_HEADERS, 'content-security-policy': staticPagePolicy(brand, look) },
  })
  const home = lookOf({ style: HOME_STYLE })
  const page = lookOf({ style: STYLE, script: `${OWN_ROWS}\n${OWN_QUESTS}\n${LIVE_BOARD}` })
  registerEmbeds(fastify, services, ask)
  const sendImage = createShareImages(services)

  const firstCommunities = cachedFor(COMMUNITIES_LIFETIME, clock, () => readCommunities(kysely, 0, clock.now()))

  fastify.get<{ Querystring: Record<string, unknown> }>('/', async (request, reply) => {
    void reply.header('vary', 'accept')
    if (isForProgram(request)) return reply.header('cache-control', 'no-cache').redirect('/playground', 307)
    const after = readId(request.query.after) ?? 0
    const first = after === 0
    const show = async (texts: PageTexts) => {
      const communities = await (first ? firstCommunities() : readCommunities(kysely, after, clock.now()))
      return homePage({ texts, brand, communities, first, issuer: site.issuer })
    }
    return sendPage(request, reply, show, {
      path: first ? '/' : `/?after=${after}`,
      image: '/assets/share.png',
      look: home,
    })
  })

  registerPage<{ slug: string }>('/s/:slug', async ({ params, query }) => {
    const space = await findSpace(params.slug)
    const { sprint, after, movement, find, me } = query
    const choices = {
      sprintId: readId(sprint),
      after: readAfter(after),
      movement: readMovement(movement),
      find: readFind(find),
      isAbsent: me === 'absent',
    }
    return (
      space && [
        `/s/${space.slug}`,
        (texts) => spacePage({ database, ask, askValidated }, { space, ...choices, now: clock.now(), site, texts }),
      ]
    )
  })

  registerPage<{ slug: string }>('/s/:slug/quests', async ({ params, query }) => {
    const space = await findSpace(params.slug)
    const choices = { state: readQuestState(query.state), after: readAfter(query.after) }
    return space && [`/s/${space.slug}/quests`, (texts) => questsPage(texts, ask, { space, ...choices })]
  })

  fastify.get('/s/:slug/logo.png', async (request, reply) => {
    const { exceeded, retryAfter } = await countAttempt(services, logoReadsByNetwork, request.network)
    if (exceeded) throw tooManyRequests(retryAfter)
    const { slug } = request.params as { slug: string }
    const logo = SLUG.test(slug) ? await findLogoBySlug(kysely, slug) : undefined
    if (!logo) return sendMissing(reply)
    return reply
      .headers({ ...PICTURE_HEADERS, 'cross-origin-resource-policy': 'cross-origin' })
      .header('cache-control', `public, max-age=${LOGO_LIFETIME / SECOND}`)
      .type('image/png')
      .send(logo)
  })

  registerPage<{ slug: string; address: string }>('/m/:slug/:address', async ({ params: { slug, address } }) => {
    const space = await findSpace(slug)
    return (
      space && [
        `/m/${space.slug}/${encodeURIComponent(canonicalMember(address) ?? address)}`,
        (texts) => memberPage(kysely, ask, { space, address, now: clock.now(), site, texts }),
      ]
    )
  })

  registerPage<{ id: string }>('/b/:id', async ({ params: { id }, query }) =>
    id.includes('\0') || !(await hasStarboardPage(kysely, id))
      ? undefined
      : [`/b/${encodeURIComponent(id)}`, (texts) => starboardPage(texts, ask, id, readAfter(query.after))],
  )

  registerPage<{ id: string }>('/q/:id', async ({ params: { id } }) => [
    `/q/${encodeURIComponent(id)}`,
    async (texts) => {
      const quest = await readQuest(ask, id)
      const space = await findPageOfSpace(kysely, Number(quest.space.id))
      return space && questPage(texts, id, quest, space)
    },
  ])

  fastify.get('/robots.txt', (_, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/plain; charset=utf-8')
      .send(
        `User-agent: *\nAllow: /$\nAllow: /?lang=\nAllow: /s/\nAllow: /q/\nAllow: /b/\nAllow: /docs\nAllow: /assets/\nDisallow: /\n\n${PREVIEWS.map((name) => `User-agent: ${name}\n`).join('')}Allow: /$\nAllow: /?lang=\nAllow: /s/\nAllow: /q/\nAllow: /b/\nAllow: /m/\nAllow: /assets/\nDisallow: /\n\nSitemap: ${site.issuer}/sitemap.xml\n`,
      ),
  )

  fastify.get('/sitemap.xml', async (_, reply) => {
    const [spaces, starboards] = await Promise.all([listPages(kysely, MAX_URLS), listStarboardPages(kysely, MAX_URLS)])
    const paths = [...spaces.map(({ slug }) => `/s/${slug}`), ...starboards.map((id) => `/b/${encodeURIComponent(id)}`)]
    const urls = paths.slice(0, MAX_URLS).map((path) => urlInSitemap(site.issuer + path))
    return reply
      .header('cache-control', 'public, max-age=3600')
      .type('application/xml; charset=utf-8')
      .send(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">${urls.join('')}</urlset>\n`,
      )
  })

  async function findSpace(slug: string): Promise<PublishedSpace | undefined> {
    return SLUG.test(slug) ? findPageBySlug(kysely, slug) : undefined
  }

  /** Registers a page and its image for link previews. */
  function registerPage<Params>(
    path: string,
    open: (request: PageRequest<Params>) => Promise<[path: string, show: Show] | undefined>,
  ): void {
    fastify.get(path, async (request, reply) => {
      const [canonical, show] = (await open(request as PageRequest<Params>)) ?? []
      return canonical === undefined || !show ? sendMissing(reply) : sendPage(request, reply, show, { path: canonical })
    })
    fastify.get(`${path}/share.png`, async (request, reply) => {
      const { params } = request as PageRequest<Params>
      const texts = pageTexts[languageInUrl(request.url) ?? 'en']
      const [, show] = (await open({ params, query: {} })) ?? []
      return show ? sendImage(request, reply, texts, () => show(texts)) : sendMissing(reply)
    })
  }

  function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    show: Show,
    { path, image = `${path}/share.png`, look = page }: { path: string; image?: string; look?: Look },
  ): Promise<FastifyReply> {
    const { style, script, headers } = look
    const texts = pageTexts[languageOf(request)]
    const address = addressOf(request, site.origin + path)
    let shown: Shown | undefined
    return sendShown(services, request, reply, {
      type: 'text/html; charset=utf-8',
      texts,
      headers,
      cacheControl: 'public, no-cache',
      async show() {
        shown = await show(texts)
        if (!shown) return undefined
        return staticPage(brand, {
          ...shown,
          texts,
          address,
          image: imageOf(shown, brand, site.origin + image, texts),
          style,
          script,
        })
      },
      keep(text) {
        if (shown?.validators) pageCache.store(texts.language, request.url, text, shown.validators)
      },
    })
  }
}

/** The address of a request in each language. */
function addressOf(request: FastifyRequest, url: string): PageAddress {
  const [path = '', query] = request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.delete('lang')
  const others = parameters.toString()
  const ownPath = others === '' ? path : `${path}?${others}`
  return {
    url,
    isOfLanguage: languageInUrl(request.url) !== undefined,
    ownPath: path === '/' ? undefined : ownPath,
    inLanguage: (language) => withLanguage(ownPath, language),
  }
}

/** A page in a sitemap, with its address in each language. */
function urlInSitemap(url: string): string {
  const alternates = languages.map(
    (language) =>
      `<xhtml:link rel="alternate" hreflang="${language}" href="${escapeHtml(withLanguage(url, language))}"/>`,
  )
  return `<url><loc>${escapeHtml(url)}</loc>${alternates.join('')}</url>`
}

const imageOf = ({ card, title }: Shown, { name }: Brand, url: string, { language }: PageTexts) => ({
  url: card ? `${language === 'en' ? `${url}?` : `${withLanguage(url, language)}&`}v=${cardVersion(card)}` : url,
  alt: card ? describeCard(card) : (title ?? name),
  width: SHARE_WIDTH,
  height: SHARE_HEIGHT,
})

type Show = (texts: PageTexts) => Promise<Shown | undefined>

interface Look {
  style: string
  script?: string
  headers: Record<string, string>
}

interface PageRequest<Params> {
  params: Params
  query: Record<string, unknown>
}

/** Whether a GraphQL tool or another program asks for JSON. Browsers ask for HTML, and curl accepts every type. */
function isForProgram({ headers, query }: FastifyRequest<{ Querystring: Record<string, unknown> }>): boolean {
  const accept = headers.accept ?? ''
  return (/\bjson\b/i.test(accept) && !/\btext\/html\b/i.test(accept)) || query.query !== undefined
}

const readAfter = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const readMovement = (value: unknown): Movement => movements.find((known) => known === value) ?? '7d'
