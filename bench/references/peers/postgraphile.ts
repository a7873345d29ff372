import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'pg'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { jsonPgSmartTags } from 'postgraphile/utils'
import { optionsOfProcess, POOL } from '../prepared.ts'

/**
 * S4: PostGraphile on the service's tables, and on two functions with the service's SQL, which its documentation calls
 * custom queries: left to itself it seeks a page with OR instead of one range of the index, and has no ranks.
 */
const { connection, statements } = optionsOfProcess()
const pool = new Pool({ ...connection, max: POOL })
await pool.query(`
  DROP SCHEMA IF EXISTS bench_postgraphile CASCADE;
  CREATE SCHEMA bench_postgraphile;
  CREATE TYPE bench_postgraphile.ranked AS (rank int, points int, address text, username text, avatar text);
  CREATE FUNCTION bench_postgraphile.loyalty_page(
    space_id int, sprint_id int, version bigint, points int, address text, count int, "position" int, rank int
  ) RETURNS SETOF bench_postgraphile.ranked LANGUAGE sql STABLE AS $body$
    SELECT (CASE WHEN e.points = $4 THEN $8 ELSE $7 + rank() OVER (ORDER BY e.points DESC) END)::int,
           e.points, e.address, e.username, e.avatar
    FROM (${statements.page.text}) AS e WHERE e.address IS NOT NULL ORDER BY e.points DESC, e.address
  $body$;
  CREATE FUNCTION bench_postgraphile.holds(credential_id bigint, address text)
  RETURNS boolean LANGUAGE sql STABLE AS $body$ ${statements.holds.text} $body$`)

// A table and the conditions of another one would have the same name.
const names = jsonPgSmartTags({ version: 1, config: { class: { quest_conditions: { tags: { name: 'quest_rule' } } } } })

const service = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [names],
  pgServices: [makePgService({ pool, schemas: ['public', 'bench_postgraphile'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
})
const server = createServer()
await service.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
