import { createClient } from 'redis'
import type { Layout, RedisBoard } from '../../data/redis-boards.ts'
import { listen, readBody } from '../listen.ts'
import { type Entry, loyaltyPage, PAGE, type PlaceInBoard } from '../loyalty-page.ts'

/**
 * S13: a handler as one writes it by hand on Redis: a sorted set for the order, hashes for what is shown of members, one
 * connection on which the client sends together what is asked for in the same turn.
 */
interface Options {
  socket: string
  board: RedisBoard
  starboard: RedisBoard
  layout: Layout
}

interface PageRequest {
  page: PlaceInBoard
}

interface RankRequest {
  rank: { handle: string }
}

const { socket, board, starboard, layout } = JSON.parse(process.argv[2] ?? '{}') as Options
const redis = createClient({ socket: { path: socket, tls: false } })
redis.on('error', (error) => console.error(error))
await redis.connect()

type Shown = (string | null)[]

/** What is shown of members, in the order of the board's fields. */
const shownOf: (of: RedisBoard, members: readonly string[]) => Promise<Shown[]> =
  layout === 'each'
    ? ({ each, fields }, members) => Promise.all(members.map((member) => redis.hmGet(`${each}${member}`, [...fields])))
    : async ({ one }, members) => {
        if (members.length === 0) return []
        const texts = await redis.hmGet(one, [...members])
        return texts.map((text) => JSON.parse(text ?? '[]') as Shown)
      }

/** The members after a place, and one more, which shows whether another page follows. */
async function page(behind: PlaceInBoard) {
  const found = await redis.zRangeWithScores(board.set, behind.position, behind.position + PAGE)
  const addresses = found.map(({ value }) => value)
  const shown = await shownOf(board, addresses)
  const rows = found.map(({ value: address, score }, at): Entry => {
    const [username, avatar] = shown[at] ?? []
    return { points: -score, address, username: username ?? '', avatar: avatar ?? '' }
  })
  return { spaceLoyaltyPointsRanks: loyaltyPage(rows, behind) }
}

/** Users with the same score share a rank, so those are counted who have a better one. */
async function rank({ handle }: RankRequest['rank']) {
  const [score, profiles] = await Promise.all([redis.zScore(starboard.set, handle), shownOf(starboard, [handle])])
  if (score === null) return { starboard: { leaderboard: { edges: [] } } }
  const better = await redis.zCount(starboard.set, '-inf', `(${score}`)
  const [username, name, profileImageUrl, followersCount] = profiles[0] ?? []
  const node = {
    rank: { value: String(better + 1) },
    influenceScore: { value: String(-score) },
    xUserProfile: { username, name, profileImageUrl, followersCount: Number(followersCount) },
  }
  return { starboard: { leaderboard: { edges: [{ node }] } } }
}

await listen((request, response) => {
  void (async () => {
    const asked = JSON.parse(await readBody(request)) as PageRequest | RankRequest
    const data = 'page' in asked ? await page(asked.page) : await rank(asked.rank)
    const body = JSON.stringify({ data })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })()
})
