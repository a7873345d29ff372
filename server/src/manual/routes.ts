import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../config.ts'
import { staticPagePolicy } from '../http/static-page.ts'
import { siteOf } from '../settings/site.ts'
import { readBook } from './book.ts'
import { articlePage, missingPage, searchPage } from './layout.ts'
import { createSearch } from './search.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const MOST_WORDS = 100

const HEADERS = {
  'content-security-policy': staticPagePolicy({ scripts: true, forms: true }),
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const MEDIA_TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

/** The manual: the repository's own Markdown files as pages, with a search that needs no script. */
export async function registerManual(
  fastify: FastifyInstance,
  config: Pick<Config, 'publicUrl' | 'port'>,
): Promise<void> {
  let opened: ReturnType<typeof open> | undefined
  const book = () => (opened ??= open(siteOf(config).issuer))

  await fastify.register(async (manual) => {
    manual.addHook('onRequest', async (_request, reply) => {
      reply.headers(HEADERS)
    })
    manual.get<{ Querystring: { q?: string | string[] } }>('/docs/search', async (request, reply) => {
      const { search } = await book()
      const words = [request.query.q ?? ''].flat().join(' ').trim().slice(0, MOST_WORDS)
      return html(reply, searchPage(words, search(words)))
    })
    manual.get<{ Params: { file: string } }>('/docs/assets/:file', async (request, reply) =>
      sendFile(reply, join(import.meta.dirname, 'assets'), request.params.file, /^manual\.(css|js)$/),
    )
    manual.get<{ Params: { '*': string } }>('/docs/pictures/*', async (request, reply) =>
      sendFile(reply, join(ROOT, 'docs'), request.params['*'], /^([a-z0-9-]+\/)*[a-z0-9-]+\.(svg|png)$/i),
    )
    manual.get<{ Params: { file: string } }>('/docs/pictures/bench/plots/:file', async (request, reply) =>
      sendFile(reply, join(ROOT, 'bench', 'plots'), request.params.file, /^[a-z0-9-]+\.svg$/),
    )
    manual.get('/docs', async (_request, reply) => sendPage(reply, ''))
    manual.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => sendPage(reply, request.params['*']))
  })

  async function sendPage(reply: FastifyReply, asked: string): Promise<FastifyReply> {
    const { pages } = await book()
    const slug = asked.replace(/\/$/, '')
    const page = pages.find((each) => each.slug === slug)
    // Under the name of its file in the repository, as one Markdown page names another.
    const named = pages.find((each) => each.file === `docs/${asked}`)
    if (named) return reply.redirect(named.path, 308)
    return page ? html(reply, articlePage(page, pages)) : html(reply.code(404), missingPage())
  }
}

/** Read once, at the first question: the files belong to this version of the service. */
async function open(issuer: string) {
  const pages = await readBook(ROOT, issuer)
  return { pages, search: createSearch(pages) }
}

function html(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(text)
}

async function sendFile(reply: FastifyReply, folder: string, name: string, allowed: RegExp): Promise<FastifyReply> {
  const content = allowed.test(name) ? await readFile(join(folder, name)).catch(() => undefined) : undefined
  if (content === undefined) return html(reply.code(404), missingPage())
  return reply.type(MEDIA_TYPES[name.split('.').at(-1) as string] as string).send(content)
}
