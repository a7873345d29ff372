import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import { SECOND } from '../../clock.ts'
import type { ReadAnswer } from '../../outgoing/read.ts'
import { parseJson } from '../lists/json-entries.ts'
import type { SourceContext } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { live } from '../source-settings.ts'
import { requestPlatform } from './platform-request.ts'

const schema = z.strictObject({
  ...live,
  kind: z.literal('TELEGRAM_MEMBER'),
  chat: z
    .string()
    .regex(
      pattern('telegram_chat', /^(@[A-Za-z][A-Za-z0-9_]{3,31}|-[1-9][0-9]{0,19})$/),
      'must be @name of a public group or channel, or the negative id of a group, as a string',
    ),
  botToken: z
    .string()
    .regex(pattern('telegram_token', /^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$/), 'must be a bot token such as 123456:ABC…'),
})
type TelegramSource = z.output<typeof schema>

const answerShape = z.looseObject({
  ok: z.boolean(),
  result: z.looseObject({ status: z.string(), is_member: z.boolean().optional() }).optional(),
  description: z.string().optional(),
  parameters: z.looseObject({ retry_after: z.number().min(0).optional() }).optional(),
})

/** Descriptions of errors about the user. Other errors are about the chat or the bot. */
const NOT_A_MEMBER = /user not found|member not found|USER_ID_INVALID|PARTICIPANT_ID_INVALID|USER_NOT_PARTICIPANT/i
const REFUSED = [400, 401, 403, 404]

/** Members of a Telegram group or channel. The Bot API can check one member, but not list all. */
export const telegramMember = sourceKind({
  schema,
  platform: true,
  identityKind: 'Telegram',
  host: () => 'api.telegram.org',
  check: isMember,
})

async function isMember(context: SourceContext, source: TelegramSource, userId: string): Promise<boolean> {
  if (!/^[1-9][0-9]{0,15}$/.test(userId)) return false
  const answer = await requestPlatform(
    context,
    {
      // The path contains the token, so only the host of this URL is shown in errors.
      url: `${context.sites.telegram}/bot${source.botToken}/getChatMember`,
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ chat_id: source.chat, user_id: Number(userId) }),
    },
    { accepted: REFUSED, waitOf: (refused) => (refused.status === 429 ? waitIn(refused) : undefined) },
  )
  const host = hostOf(answer.url)
  const { data } = answerShape.safeParse(parseJson(answer.text, host))
  if (data?.ok === true && data.result) return isIn(data.result)
  const description = data?.description ?? ''
  if (NOT_A_MEMBER.test(description)) return false
  throw new SourceError(`${host} refused the request: ${description.slice(0, 200) || `status ${answer.status}`}`)
}

/** A restricted user can have left the chat. */
function isIn({ status, is_member }: NonNullable<z.output<typeof answerShape>['result']>): boolean {
  if (status === 'restricted') return is_member === true
  return ['creator', 'administrator', 'member'].includes(status)
}

function waitIn(answer: ReadAnswer): number | undefined {
  const { data } = answerShape.safeParse(parseJson(answer.text, hostOf(answer.url)))
  const seconds = data?.parameters?.retry_after
  return seconds === undefined ? undefined : seconds * SECOND
}
