import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { canonicalMember } from '../addresses/addresses.ts'
import { keepFor } from '../cache/kept.ts'
import { staticPage, staticPagePolicy } from '../http/static-page.ts'
import { SECURITY_HEADERS } from '../http/page-policy.ts'
import { COMMUNITIES_LIFETIME } from '../lifetimes.ts'
import type { Services } from '../services.ts'
import { namesSession } from '../sessions/cookies.ts'
import type { Brand } from '../settings/brand.ts'
import { escapeHtml } from '../text/html.ts'
import { readFind } from './find-member.ts'
import { homePage, readCommunities } from './home-page.ts'
import type { OwnQuery, Shown } from './parts.ts'
import { memberPage } from './member-page.ts'
import { registerEmbeds } from './embed-routes.ts'
import { questPage, readQuest } from './quest-page.ts'
import { readId } from './requests.ts'
import { sendMissing, sendShown } from './send-shown.ts'
import { SLUG } from './slug.ts'
import { starboardPage } from './starboard-page.ts'
import { hasStarboardPage, listStarboardPages } from './starboard-pages.queries.ts'
import { findPageBySlug, findPageOfSpace, listPages } from './space-pages.queries.ts'
import { type Movement, movements, spacePage } from './space-page.ts'

const styleOf = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')
const STYLE = styleOf('community.css')
const HOME_STYLE = styleOf('home.css')
/** The limit of the sitemap protocol. */
const MAX_URLS = 50_000

/** The public pages of communities, for people and for search engines: spaces, members, starboards and quests. */
export function registerCommunity(
  fastify: FastifyInstance,
  services: Pick<Services, 'database' | 'clock' | 'site'> & { brand: Brand },
  ask: OwnQuery,
): void {
  const { clock, site, brand } = services
  const { kysely } = services.database
  registerEmbeds(fastify, services, ask)

  const firstCommunities = keepFor(COMMUNITIES_LIFETIME, clock, () => readCommunities(kysely, 0, clock.now()))

  fastify.get<{ Querystring: Record<string, unknown> }>('/', async (request, reply) => {
    void reply.header('vary', 'accept, cookie')
    if (isForProgram(request)) return reply.header('cache-control', 'no-cache').redirect('/playground', 307)
    const after = readId(request.query.after) ?? 0
    const first = after === 0
    const show = async () => {
      const communities = await (first ? firstCommunities() : readCommunities(kysely, after, clock.now()))
      const session = namesSession(site, request.headers.cookie)
      return homePage({ brand, communities, first, session, issuer: site.issuer })
    }
    return sendPage(request, reply, show, first ? '/' : `/?after=${after}`, HOME_STYLE)
  })

  fastify.get<{ Params: { slug: string }; Querystring: Record<string, unknown> }>(
    '/s/:slug',
    async (request, reply) => {
      const { slug } = request.params
      const space = SLUG.test(slug) ? await findPageBySlug(kysely, slug) : undefined
      if (!space) return sendMissing(reply)
      const { sprint, after, movement, find } = request.query
      const choices = {
        sprintId: readId(sprint),
        after: readAfter(after),
        movement: readMovement(movement),
        find: readFind(find),
      }
      const show = () => spacePage(kysely, ask, { space, ...choices, now: clock.now() })
      return sendPage(request, reply, show, `/s/${space.slug}`)
    },
  )

  fastify.get<{ Params: { slug: string; address: string } }>('/m/:slug/:address', async (request, reply) => {
    const { slug, address } = request.params
    const space = SLUG.test(slug) ? await findPageBySlug(kysely, slug) : undefined
    if (!space) return sendMissing(reply)
    const show = () => memberPage(kysely, ask, { space, address, now: clock.now() })
    return sendPage(request, reply, show, `/m/${space.slug}/${encodeURIComponent(canonicalMember(address) ?? address)}`)
  })

  fastify.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>('/b/:id', async (request, reply) => {
    const { id } = request.params
    if (id.includes('\0') || !(await hasStarboardPage(kysely, id))) return sendMissing(reply)
    const show = () => starboardPage(ask, id, readAfter(request.query.after))
    return sendPage(request, reply, show, `/b/${encodeURIComponent(id)}`)
  })

  fastify.get<{ Params: { id: string } }>('/q/:id', async (request, reply) => {
    const show = async (): Promise<Shown | undefined> => {
      const quest = await readQuest(ask, request.params.id)
      const space = await findPageOfSpace(kysely, Number(quest.space.id))
      return space && questPage(quest, space)
    }
    return sendPage(request, reply, show, `/q/${encodeURIComponent(request.params.id)}`)
  })

  fastify.get('/robots.txt', (_, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/plain; charset=utf-8')
      .send(
        `User-agent: *\nAllow: /$\nAllow: /s/\nAllow: /q/\nAllow: /b/\nAllow: /docs\nAllow: /assets/\nDisallow: /\nSitemap: ${site.issuer}/sitemap.xml\n`,
      ),
  )

  fastify.get('/sitemap.xml', async (_, reply) => {
    const [spaces, starboards] = await Promise.all([listPages(kysely, MAX_URLS), listStarboardPages(kysely, MAX_URLS)])
    const paths = [...spaces.map(({ slug }) => `/s/${slug}`), ...starboards.map((id) => `/b/${encodeURIComponent(id)}`)]
    const urls = paths.slice(0, MAX_URLS).map((path) => `<url><loc>${escapeHtml(site.issuer + path)}</loc></url>`)
    return reply
      .header('cache-control', 'public, max-age=3600')
      .type('application/xml; charset=utf-8')
      .send(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`,
      )
  })

  function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    show: () => Promise<Shown | undefined>,
    path: string,
    style = STYLE,
  ): Promise<FastifyReply> {
    return sendShown(services, request, reply, {
      type: 'text/html; charset=utf-8',
      headers: { ...SECURITY_HEADERS, 'content-security-policy': staticPagePolicy(brand, style) },
      cacheControl: 'public, no-cache',
      async show() {
        const shown = await show()
        const image = `${site.origin}/assets/share.png`
        return shown && staticPage(brand, { ...shown, url: `${site.origin}${path}`, image, style })
      },
    })
  }
}

/** GraphQL tools and programs that ask for JSON; browsers ask for HTML, and curl takes anything. */
function isForProgram({ headers, query }: FastifyRequest<{ Querystring: Record<string, unknown> }>): boolean {
  const accept = headers.accept ?? ''
  return (/\bjson\b/i.test(accept) && !/\btext\/html\b/i.test(accept)) || query.query !== undefined
}

const readAfter = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const readMovement = (value: unknown): Movement => movements.find((known) => known === value) ?? '7d'
