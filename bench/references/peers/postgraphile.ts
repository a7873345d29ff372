import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { jsonPgSmartTags } from 'postgraphile/utils'
import { optionsOfProcess, POOL } from '../prepared.ts'

/** S4: PostGraphile on the service's tables. */
const pool = new Pool({ ...optionsOfProcess().connection, max: POOL })

// A table and the conditions of another one would have the same name.
const names = jsonPgSmartTags({ version: 1, config: { class: { quest_conditions: { tags: { name: 'quest_rule' } } } } })

const service = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [names],
  pgServices: [makePgService({ pool, schemas: ['public'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
})
const server = createServer()
await service.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
