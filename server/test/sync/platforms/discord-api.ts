import type { ServerResponse } from 'node:http'
import type { Answer } from '../../support/upstream.ts'

export const GUILD = '197038439483310086'
export const ROLE = '41771983423143936'
export const BOT_TOKEN = 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs'

/** Discord's REST API v10: members of one server (discord.com/developers/docs/resources/guild). */
export interface DiscordApi {
  /** Roles by user id. */
  members: Map<string, string[]>
  /** Without the privileged intent, the list is refused. */
  intent: boolean
  /** Seconds of the next response with status 429. */
  limited: number | undefined
  answer: Answer
}

export function discordApi(): DiscordApi {
  const api: DiscordApi = { members: new Map(), intent: true, limited: undefined, answer }

  function answer({ url, headers }: Parameters<Answer>[0], response: ServerResponse): void {
    const send = (status: number, body: unknown, more: Record<string, string> = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body))
    if (api.limited !== undefined) {
      const retryAfter = api.limited
      api.limited = undefined
      const limits = { 'retry-after': String(Math.ceil(retryAfter)), 'x-ratelimit-scope': 'user' }
      return send(429, { message: 'You are being rate limited.', retry_after: retryAfter, global: false }, limits)
    }
    if (headers.authorization !== `Bot ${BOT_TOKEN}`) return send(401, { message: '401: Unauthorized', code: 0 })
    if (!/^DiscordBot \(/.test(headers['user-agent'] ?? '')) return send(403, { message: 'blocked', code: 40333 })
    const { pathname, searchParams } = new URL(url, 'http://discord')
    const [, guild, user] = /^\/api\/v10\/guilds\/(\d+)\/members(?:\/(\d+))?$/.exec(pathname) ?? []
    if (guild !== GUILD) return send(404, { message: 'Unknown Guild', code: 10004 })
    if (user !== undefined) {
      const roles = api.members.get(user)
      return roles ? send(200, member(user, roles)) : send(404, { message: 'Unknown Member', code: 10007 })
    }
    if (!api.intent) return send(403, { message: 'Missing Access', code: 50001 })
    const [limit, after] = [Number(searchParams.get('limit') ?? 1), BigInt(searchParams.get('after') ?? 0)]
    if (!(limit >= 1 && limit <= 1000)) return send(400, { message: 'Invalid Form Body', code: 50035 })
    const page = [...api.members]
      .filter(([id]) => BigInt(id) > after)
      .toSorted(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1))
      .slice(0, limit)
    return send(
      200,
      page.map(([id, roles]) => member(id, roles)),
    )
  }
  return api
}

const member = (id: string, roles: string[]) => ({
  user: { id, username: `user${id.slice(-4)}`, discriminator: '0', global_name: null, avatar: null },
  nick: null,
  roles,
  joined_at: '2026-01-05T10:00:00.000000+00:00',
  deaf: false,
  mute: false,
  flags: 0,
})
