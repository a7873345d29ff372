import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import mercurius from 'mercurius'
import { resolvers, typeDefs } from './resolvers.ts'

/** S4: Mercurius, every document compiled when it is asked for the second time. */
const app = Fastify({ logger: false })
await app.register(mercurius, { schema: typeDefs, resolvers, jit: 1, graphiql: false })
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: (app.server.address() as AddressInfo).port })
