import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { NOT_BUILT, pagePolicy, SECURITY_HEADERS } from '../http/page-policy.ts'
import { siteOf } from '../settings/site.ts'
import { manualFiles, type ManualFile } from './files.ts'

export const MANUAL_FOLDER = join(import.meta.dirname, '../../../manual/dist')
const FILE_NAME = /^(?:[@\w-]+\/)*[@\w-]+(?:\.[\w-]+)*$/
const IMMUTABLE = `public, max-age=${365 * 24 * 60 * 60}, immutable`

/** Serves the manual that `scripts/install.mjs` has built from the Markdown files. */
export async function registerManual(
  fastify: FastifyInstance,
  config: Pick<Config, 'publicUrl' | 'port'>,
  dist = MANUAL_FOLDER,
): Promise<void> {
  const find = manualFiles(dist, siteOf(config).issuer)
  await fastify.register(async (manual) => {
    manual.get('/docs', async (request, reply) => sendPage(request, reply, 'index'))
    manual.get('/docs/', async (request, reply) => sendPage(request, reply, 'index'))
    manual.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
      const name = request.params['*']
      const current = currentName(name)
      if (current === '') return reply.redirect('/docs', 308)
      if (!FILE_NAME.test(current)) return missing(reply)
      if (current !== name) return reply.redirect(`/docs/${current}`, 308)
      const file = await find(name)
      return file ? send(request, reply, file) : sendPage(request, reply, name)
    })
  })

  async function sendPage(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const file = await find(`${name}.html`)
    if (file) return send(request, reply, file)
    if (await find('index.html')) return missing(reply)
    return reply.code(503).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(NOT_BUILT)
  }
}

function missing(reply: FastifyReply): FastifyReply {
  reply.callNotFound()
  return reply
}

/** Requests may name the Markdown file, end in a slash, or ask for the search page of earlier versions. */
const currentName = (name: string): string =>
  name === 'search' ? '' : name.replace(/\/$/, '').replace(/(?:^|(?<=\/))README\.md$|\.md$/, '')

function send(request: FastifyRequest, reply: FastifyReply, file: ManualFile): FastifyReply {
  void reply.headers({
    ...SECURITY_HEADERS,
    'content-security-policy': pagePolicy('', file.scripts),
    'cache-control': file.immutable ? IMMUTABLE : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  void reply.type(file.type)
  const acceptsGzip = /\bgzip\b(?!;\s*q=0(?:\.0+)?(?:,|$))/.test(request.headers['accept-encoding'] ?? '')
  if (file.gzipped === undefined || !acceptsGzip) return reply.send(file.content)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}
