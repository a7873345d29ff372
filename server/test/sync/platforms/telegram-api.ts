import type { ServerResponse } from 'node:http'
import type { Answer } from '../../support/upstream.ts'

export const CHAT = '-1001234567890'
export const BOT_TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

/** Telegram's Bot API: getChatMember (core.telegram.org/bots/api). */
export interface TelegramApi {
  /** By user id: the status, or `restricted` with is_member. */
  members: Map<number, { status: string; is_member?: boolean }>
  /** The description of an error for the next request. */
  fails: string | undefined
  limited: number | undefined
  answer: Answer
}

export function telegramApi(): TelegramApi {
  const api: TelegramApi = { members: new Map(), fails: undefined, limited: undefined, answer }

  function answer({ url, method, body }: Parameters<Answer>[0], response: ServerResponse): void {
    const send = (status: number, content: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    const refuse = (status: number, description: string, parameters?: object) =>
      send(status, { ok: false, error_code: status, description, ...(parameters && { parameters }) })
    if (url !== `/bot${BOT_TOKEN}/getChatMember`)
      return url.startsWith(`/bot${BOT_TOKEN}/`) ? refuse(404, 'Not Found') : refuse(401, 'Unauthorized')
    if (api.limited !== undefined) {
      const seconds = api.limited
      api.limited = undefined
      return refuse(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
    }
    if (api.fails !== undefined) {
      const description = api.fails
      api.fails = undefined
      return refuse(400, description)
    }
    const { chat_id: chat, user_id: id } = JSON.parse(body) as { chat_id?: string; user_id?: number }
    if (method !== 'POST' || chat !== CHAT) return refuse(400, 'Bad Request: chat not found')
    if (typeof id !== 'number') return refuse(400, 'Bad Request: invalid user_id specified')
    const found = api.members.get(id)
    if (!found) return refuse(400, 'Bad Request: user not found')
    return send(200, { ok: true, result: { user: { id, is_bot: false, first_name: 'Ada' }, ...found } })
  }
  return api
}
