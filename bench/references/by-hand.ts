import { Pool, type PoolConfig } from 'pg'
import { listen, readBody } from './listen.ts'

/**
 * S2, S3: a handler as one writes it by hand for one purpose: the same SQL as the service, as named prepared statements
 * of `pg`'s own pool, `JSON.stringify`, no GraphQL, no token, no quota. Statements come from the service's source, so
 * that both sides ask the same.
 */
interface Options {
  connection: PoolConfig
  statements: Record<string, { name: string; text: string }>
}

interface PageRequest {
  page: {
    spaceId: number
    version: number
    totalCount: number
    points: number
    address: string
    position: number
    rank: number
  }
}

interface EligibleRequest {
  eligible: { credentialId: string; address: string }
}

interface Entry {
  points: number
  address: string
  username: string
  avatar: string
}

const PAGE = 50
const { connection, statements } = JSON.parse(process.argv[2] ?? '{}') as Options
const pool = new Pool({ ...connection, max: 8 })

async function ask<Row extends object>(name: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ ...statements[name], text: statements[name]?.text ?? '', values })
  return rows
}

async function page({ spaceId, version, totalCount, points, address, position, rank }: PageRequest['page']) {
  const rows = await ask<Entry>('page', [spaceId, 0, version, points, address, PAGE + 1])
  let last = { points, position, rank }
  const list = rows.slice(0, PAGE).map(({ points, address, username, avatar }) => {
    const position = last.position + 1
    last = { points, position, rank: points === last.points ? last.rank : position }
    return { rank: last.rank, points, address: { username, address, avatar } }
  })
  const end = { ...last, address: list.at(-1)?.address.address }
  const endCursor = Buffer.from(JSON.stringify(end)).toString('base64url')
  const pageInfo = { hasNextPage: rows.length > PAGE, endCursor }
  return { data: { spaceLoyaltyPointsRanks: { totalCount, pageInfo, list } } }
}

async function eligible({ credentialId, address }: EligibleRequest['eligible']) {
  const [row] = await ask<{ holds: boolean }>('holds', [credentialId, address])
  return { data: { credential: { eligible: row?.holds ? 1 : 0 } } }
}

await listen((request, response) => {
  void (async () => {
    const asked = JSON.parse(await readBody(request)) as PageRequest | EligibleRequest
    const answer = 'page' in asked ? await page(asked.page) : await eligible(asked.eligible)
    const body = JSON.stringify(answer)
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })()
})
