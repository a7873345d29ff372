import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { canonicalMember } from '../addresses/addresses.ts'
import { MINUTE } from '../clock.ts'
import { communityPagesByNetwork, countAttempt } from '../rate-limit/rate-limit.ts'
import type { Services } from '../services.ts'
import type { Brand } from '../settings/brand.ts'
import { badge } from './badge.ts'
import { DEFAULT_ROWS, embedPage, embedPolicy, MAX_ROWS, type Theme, themes } from './embed-page.ts'
import { isOpen, type OwnQuery, points } from './parts.ts'
import { isUnknown, readId } from './requests.ts'
import { SLUG } from './slug.ts'
import { findPageBySlug, type PublishedSpace } from './space-pages.queries.ts'

const SCRIPT = readFileSync(join(import.meta.dirname, 'embed.js'), 'utf8')
/** White text is readable on it; for installations without a colour of their own. */
const COLOUR = '#5f3dc4'
const LIFETIME = MINUTE

const RANK = `query CommunityBadge($id: Int!, $address: String!, $sprintId: Int) {
  space(id: $id) { addressLoyaltyPoints(address: $address, sprintId: $sprintId) { rank } }
}`

type EmbedRequest = FastifyRequest<{ Params: { slug: string; file: string }; Querystring: Record<string, unknown> }>

/** What other sites show of a published space: the board in a frame, a script that makes the frame, badges. */
export function registerEmbeds(
  fastify: FastifyInstance,
  services: Pick<Services, 'database' | 'clock' | 'site'> & { brand: Brand },
  ask: OwnQuery,
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

  fastify.get('/embed/:slug', async (request: EmbedRequest, reply) => {
    const space = await published(request, reply)
    if (!space) return reply
    const { theme, rows, sprint } = request.query
    const view = { space, theme: readTheme(theme), rows: readRows(rows), sprintId: readId(sprint) }
    void reply.header('content-security-policy', embedPolicy(brand, space.embedOrigins))
    return send(request, reply, 'text/html; charset=utf-8', () => embedPage(ask, brand, site, view))
  })

  fastify.get('/embed/:slug/:file', async (request: EmbedRequest, reply) => {
    const { file } = request.params
    const address = file.endsWith('.svg') ? canonicalMember(file.slice(0, -'.svg'.length)) : undefined
    if (address === undefined || !isOpen(address)) return missing(reply)
    const space = await published(request, reply)
    if (!space) return reply
    void reply.header('content-security-policy', "default-src 'none'")
    return send(request, reply, 'image/svg+xml; charset=utf-8', async () => {
      const variables = { id: space.spaceId, address, sprintId: readId(request.query.sprint) ?? null }
      const { space: shown } = (await ask(RANK, variables)) as {
        space: { addressLoyaltyPoints: { rank: number } | null }
      }
      const rank = shown.addressLoyaltyPoints?.rank
      const value = rank === undefined ? 'Not ranked' : `Rank ${points(rank)}`
      return badge({ label: space.name, value, colour: brand.accent?.onLight ?? COLOUR })
    })
  })

  /** The space of a request; undefined if a response has been sent. */
  async function published(request: EmbedRequest, reply: FastifyReply): Promise<PublishedSpace | undefined> {
    const { exceeded, retryAfter } = await countAttempt(services, communityPagesByNetwork, request.network)
    if (exceeded) {
      void reply.code(429).headers({ 'cache-control': 'no-store', 'retry-after': String(retryAfter) })
      void reply.type('text/plain; charset=utf-8').send('Too many requests; try again later.\n')
      return undefined
    }
    const { slug } = request.params
    const space = SLUG.test(slug) ? await findPageBySlug(database.kysely, slug) : undefined
    if (!space) missing(reply)
    return space
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    type: string,
    show: () => Promise<string>,
  ): Promise<FastifyReply> {
    const text = await show().catch((error: unknown) => {
      if (isUnknown(error)) return undefined
      throw error
    })
    if (text === undefined) return missing(reply)
    const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
    void reply
      .headers({
        'cache-control': `public, max-age=${LIFETIME / 1000}`,
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        etag,
      })
      .type(type)
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(text)
  }
}

function missing(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

const readTheme = (value: unknown): Theme => themes.find((known) => known === value) ?? 'auto'

function readRows(value: unknown): number {
  const rows = typeof value === 'string' && /^[1-9]\d?$/.test(value) ? Number(value) : DEFAULT_ROWS
  return Math.min(rows, MAX_ROWS)
}
