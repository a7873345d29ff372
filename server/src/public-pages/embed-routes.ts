import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { canonicalMember, mayBePublic } from '../addresses/addresses.ts'
import { MINUTE, SECOND } from '../clock.ts'
import type { Services } from '../services.ts'
import type { Brand } from '../settings/brand.ts'
import { type PageTexts, pageTexts } from '../texts/page-texts.ts'
import { languageOfEmbed } from '../texts/request-language.ts'
import { badge } from './badge.ts'
import { DEFAULT_ROWS, embedPage, embedPolicy, MAX_ROWS, type Theme, themes } from './embed-page.ts'
import type { ServiceQuery } from './parts.ts'
import { readId } from './requests.ts'
import { sendMissing, sendShown } from './send-shown.ts'
import { SLUG } from './slug.ts'
import { findPageBySlug, type PublishedSpace } from './space-pages.queries.ts'

const SCRIPT = readFileSync(join(import.meta.dirname, 'embed.js'), 'utf8')
/** The colour of installations that set none. White text is readable on it. */
const COLOUR = '#5f3dc4'
const LIFETIME = MINUTE

const RANK = `query CommunityBadge($id: Int!, $address: String!, $sprintId: Int) {
  space(id: $id) { addressLoyaltyPoints(address: $address, sprintId: $sprintId) { rank } }
}`

type EmbedRequest = FastifyRequest<{ Params: { slug: string; file: string }; Querystring: Record<string, unknown> }>

/**
 * Parts of a published space for other sites: the board in a frame, a script that makes the frame, and badges.
 * @param ask runs a query of the service itself
 */
export function registerEmbeds(
  fastify: FastifyInstance,
  services: Pick<Services, 'database' | 'clock' | 'site'> & { brand: Brand },
  ask: ServiceQuery,
): void {
  const { site, brand, database } = services

  fastify.get('/embed.js', (_, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('x-content-type-options', 'nosniff')
      .type('text/javascript; charset=utf-8')
      .send(SCRIPT),
  )

  fastify.get('/embed/:slug', (request: EmbedRequest, reply) =>
    send(request, reply, 'text/html; charset=utf-8', (space, texts) => {
      const { theme, rows, sprint } = request.query
      const view = { space, theme: readTheme(theme), rows: readRows(rows), sprintId: readId(sprint), texts }
      void reply.header('content-security-policy', embedPolicy(brand, space.embedOrigins))
      return embedPage(ask, brand, site, view)
    }),
  )

  fastify.get('/embed/:slug/:file', async (request: EmbedRequest, reply) => {
    const { file } = request.params
    const address = file.endsWith('.svg') ? canonicalMember(file.slice(0, -'.svg'.length)) : undefined
    if (address === undefined || !mayBePublic(address)) return sendMissing(reply)
    return send(request, reply, 'image/svg+xml; charset=utf-8', async ({ spaceId, name }, { rankNumber, embed }) => {
      void reply.header('content-security-policy', "default-src 'none'")
      const variables = { id: spaceId, address, sprintId: readId(request.query.sprint) ?? null }
      const { space: shown } = (await ask(RANK, variables)) as {
        space: { addressLoyaltyPoints: { rank: number } | null }
      }
      const rank = shown.addressLoyaltyPoints?.rank
      const value = rank === undefined ? embed.notRanked : rankNumber(rank)
      return badge({ label: name, value, title: embed.badge(value, name), colour: brand.accent?.onLight ?? COLOUR })
    })
  })

  /**
   * Sends the result of `show` for the published space with the slug of the request, or 404. Other sites may load it. Its
   * content-security-policy decides which of them may show it in a frame.
   */
  function send(
    request: EmbedRequest,
    reply: FastifyReply,
    type: string,
    show: (space: PublishedSpace, texts: PageTexts) => Promise<string>,
  ): Promise<FastifyReply> {
    const texts = pageTexts[languageOfEmbed(request)]
    return sendShown(services, request, reply, {
      type,
      texts,
      headers: {
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      },
      cacheControl: `public, max-age=${LIFETIME / SECOND}`,
      async show() {
        const { slug } = request.params
        const space = SLUG.test(slug) ? await findPageBySlug(database.kysely, slug) : undefined
        return space && show(space, texts)
      },
    })
  }
}

const readTheme = (value: unknown): Theme => themes.find((known) => known === value) ?? 'auto'

function readRows(value: unknown): number {
  const rows = typeof value === 'string' && /^[1-9]\d?$/.test(value) ? Number(value) : DEFAULT_ROWS
  return Math.min(rows, MAX_ROWS)
}
