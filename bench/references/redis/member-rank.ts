import { createClient } from 'redis'
import { listen, readBody } from '../listen.ts'

/** S15: a handler as one writes it by hand: the position and the points of a member of one sorted set. */
const { socket, set } = JSON.parse(process.argv[2] ?? '{}') as { socket: string; set: string }
const redis = createClient({ socket: { path: socket, tls: false } })
redis.on('error', (error) => console.error(error))
await redis.connect()

/** Members with equal points have different positions, so the rank differs from the service's there. */
async function rankOf(address: string) {
  const [position, points] = await Promise.all([redis.zRevRank(set, address), redis.zScore(set, address)])
  return position === null ? null : { rank: position + 1, points }
}

await listen((request, response) => {
  void (async () => {
    const { address } = JSON.parse(await readBody(request)) as { address: string }
    const body = JSON.stringify({ data: { space: { addressLoyaltyPoints: await rankOf(address) } } })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })()
})
