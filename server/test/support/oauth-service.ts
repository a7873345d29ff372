import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { systemClock } from '../../src/clock.ts'
import { loadConfig } from '../../src/config.ts'
import { createRenderer } from '../../src/images/renderer.ts'
import { registerPages } from '../../src/http/pages.ts'
import { siteOf } from '../../src/settings/site.ts'
import { registerApi } from '../../src/routes.ts'
import { memberQuestsOf } from './member-quests.ts'
import { createServices, type Services } from '../../src/services.ts'
import { type Logger, silentLog } from '../../src/logging/log.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import { type ApiRoute, collectRoutes } from '../../src/api/openapi-document.ts'
import { systemRandom } from '../../src/random.ts'
import { type TestClock, testClock } from './clock.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { checkAnswers } from './documented-answers.ts'

export interface SignInService {
  fastify: FastifyInstance
  /** The path of every route. */
  routes: string[]
  routeTable: readonly ApiRoute[]
  services: Services
  database: TestDatabase
  clock: TestClock
  issuer: string
  close(): Promise<void>
}

const WEB_DIST = join(import.meta.dirname, '../../../web/dist')

export const ISSUER = 'https://id.questboard.test'

export interface ServiceOptions {
  publicUrl?: string
  log?: Logger
  clock?: TestClock
  /** Further settings by their environment variables. */
  settings?: Record<string, string>
  /** A shared database of several services; its owner drops it. */
  database?: TestDatabase
  /** The request timeout in milliseconds, after which the status is 503. */
  answerDeadline?: number
  /** Fails on responses that the OpenAPI document does not describe. */
  checkAnswers?: boolean
}

/** The sign-in service with its own database and clock; `issuer` uses https, as in production, for secure cookies. */
export async function startSignIn(options: ServiceOptions = {}) {
  const { publicUrl = ISSUER, log = silentLog, clock = testClock(), settings = {} } = options
  const database = options.database ?? (await createTestDatabase())
  const config = loadConfig({
    QUESTBOARD_PUBLIC_URL: publicUrl,
    QUESTBOARD_SECRET: 'a secret of at least thirty-two characters',
    ...settings,
  })
  const outgoing = createOutgoing({ hosts: config.outgoingHosts })
  const services = createServices({ config, clock, random: systemRandom, log, database, outgoing })
  const fastify: FastifyInstance = Fastify({
    trustProxy: true,
    ...(options.answerDeadline !== undefined && { handlerTimeout: options.answerDeadline }),
  })
  const routes: string[] = []
  fastify.addHook('onRoute', ({ url }) => void routes.push(url))
  const collected = collectRoutes(fastify)
  if (options.checkAnswers) checkAnswers(fastify)
  const renderer = createRenderer(systemClock)
  fastify.addHook('onClose', () => renderer.close())
  await registerApi(fastify, services, { ...memberQuestsOf(services), renderer })
  const routeTable = [...collected] // Copied before the pages register routes that are not part of the API.
  const site = siteOf(config)
  await registerPages(fastify, { webDist: WEB_DIST, random: systemRandom, site, brand: config.brand })
  await fastify.ready()
  const service: SignInService = {
    fastify,
    routes,
    routeTable,
    services,
    database,
    clock,
    issuer: publicUrl,
    async close() {
      await fastify.close()
      await outgoing.close()
      if (!options.database) await database.drop()
    },
  }
  return service
}

/** The same on a real port of localhost, with the system clock, for foreign clients and browsers. */
export async function startListening(settings: Record<string, string> = {}): Promise<SignInService> {
  const port = await freePort()
  const clock: TestClock = { ...systemClock, set() {}, advance() {} }
  const service = await startSignIn({ publicUrl: `http://localhost:${port}`, clock, settings })
  await service.fastify.listen({ port, host: 'localhost' })
  return service
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
