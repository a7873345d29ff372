import { createQueryRoute } from '../../server/src/http/query-route.ts'
import { systemClock } from '../../server/src/clock.ts'
import { createCursors } from '../../server/src/graphql/signed-cursors.ts'
import { openDatabase } from '../../server/src/database/connection.ts'
import { fieldTable } from '../../server/src/resolvers/tables.ts'
import { createCompiler } from '../../server/src/graphql/compile.ts'
import { AREAS } from '../../server/src/graphql/context.ts'
import { CacheValidators } from '../../server/src/graphql/cache-validators.ts'
import { createResponseCache } from '../../server/src/http/response-cache.ts'
import { silentLog } from '../../server/src/logging/log.ts'
import { systemRandom } from '../../server/src/random.ts'
import type { PoolConfig } from 'pg'
import { listen } from './listen.ts'

/** S9: the service's query route without guards: no token check, quota, usage figures, log or metrics. */
const { connection, cursorKey } = JSON.parse(process.argv[2] ?? '{}') as { connection: PoolConfig; cursorKey: string }
const database = openDatabase({ connection, readConnections: 4, log: silentLog })
const caller = { tokenId: '', accountId: '', areas: AREAS, perSecond: null, perDay: null }
const nothing = async () => {}

const query = createQueryRoute({
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  accessLog: () => {},
  authenticator: { authenticate: async () => caller },
  quota: { spend: async () => ({}), close: nothing },
  tokenRequests: { record: () => {}, close: nothing },
  usage: { record: () => {}, close: nothing },
  compiler: createCompiler(fieldTable({ issuer: 'http://localhost' })),
  responseCache: createResponseCache(database, systemClock),
  metrics: { query: () => {}, fieldFailed: () => {} },
  contextFor: () => ({
    reader: database,
    clock: systemClock,
    cursors: createCursors(Buffer.from(cursorKey, 'hex')),
    newestBoards: new Map(),
    cacheValidators: new CacheValidators(),
    accountId: '',
    areas: AREAS,
    checkLive: async () => false,
    applyDueTransitions: async () => [],
  }),
})

await listen((request, response) => void query(request, response))
