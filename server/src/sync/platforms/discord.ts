import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import { SECOND } from '../../clock.ts'
import type { ReadAnswer } from '../../outgoing/read.ts'
import { parseJson } from '../lists/json-entries.ts'
import type { SourceContext, Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { listed, secret } from '../source-settings.ts'
import { requestPlatform } from './platform-request.ts'

const snowflake = z
  .string()
  .regex(pattern('discord_id', /^[0-9]{15,20}$/), 'must be an id of Discord: 15 to 20 digits, as a string')

const schema = z.strictObject({
  ...listed,
  kind: z.literal('DISCORD_MEMBER'),
  guildId: snowflake,
  /** Only members with this role count; all without it. */
  roleId: snowflake.optional(),
  botToken: secret,
})
type DiscordSource = z.output<typeof schema>

const memberShape = z.looseObject({
  user: z.looseObject({ id: z.string().regex(/^[0-9]{1,20}$/) }),
  roles: z.array(z.string()),
})
const errorShape = z.looseObject({ code: z.int().optional(), message: z.string().optional() })
const limitShape = z.looseObject({ retry_after: z.number().min(0) })

const PAGE_SIZE = 1_000
const UNKNOWN_MEMBER = 10007
const UNKNOWN_USER = 10013

/** Members of a Discord server, or those with a role, by the immutable id of the user. */
export const discordMember = sourceKind({
  schema,
  platform: true,
  credType: 'DISCORD',
  host: () => 'discord.com',
  list: readMembers,
  check: isMember,
})

/** Needs the privileged intent "Server Members" of the bot. */
async function readMembers(reading: Reading, source: DiscordSource): Promise<void> {
  for (let after = '0'; ;) {
    const answer = await requestDiscord(reading, source, `?limit=${PAGE_SIZE}&after=${after}`)
    const parsed = z.array(memberShape).safeParse(jsonOf(answer))
    if (!parsed.success) throw new SourceError(`${hostOf(answer.url)} returned no list of members`)
    await reading.give(parsed.data.filter((member) => counts(member, source)).map(({ user }) => user.id))
    if (parsed.data.length < PAGE_SIZE) return
    const last = parsed.data.reduce((max, { user }) => (BigInt(user.id) > max ? BigInt(user.id) : max), 0n)
    if (last <= BigInt(after)) throw new SourceError(`${hostOf(answer.url)} repeats a page of members`)
    after = String(last)
  }
}

async function isMember(context: SourceContext, source: DiscordSource, holder: string): Promise<boolean> {
  // A list can also contain handles, which Discord does not look up here.
  if (!/^[0-9]{15,20}$/.test(holder)) return false
  const answer = await requestDiscord(context, source, `/${holder}`, [404])
  if (answer.status === 404) {
    const { code } = errorShape.safeParse(jsonOf(answer)).data ?? {}
    if (code === UNKNOWN_MEMBER || code === UNKNOWN_USER) return false
    throw new SourceError(`${hostOf(answer.url)} does not know the server ${source.guildId}, or the bot is not in it`)
  }
  const parsed = memberShape.safeParse(jsonOf(answer))
  if (!parsed.success) throw new SourceError(`${hostOf(answer.url)} returned no member`)
  return counts(parsed.data, source)
}

const counts = ({ roles }: z.output<typeof memberShape>, { roleId }: DiscordSource): boolean =>
  roleId === undefined || roles.includes(roleId)

const requestDiscord = (
  context: SourceContext,
  source: DiscordSource,
  rest: string,
  accepted: readonly number[] = [],
) =>
  requestPlatform(
    context,
    {
      url: `${context.sites.discord}/api/v10/guilds/${source.guildId}/members${rest}`,
      headers: {
        accept: 'application/json',
        authorization: `Bot ${source.botToken}`,
        'user-agent': 'DiscordBot (questboard, 1)',
      },
    },
    { accepted, waitOf: (answer) => (answer.status === 429 ? waitIn(answer) : undefined) },
  )

/** The body has the exact number of seconds; the header is rounded up. */
function waitIn(answer: ReadAnswer): number | undefined {
  const { data } = limitShape.safeParse(jsonOf(answer))
  return data && Math.ceil(data.retry_after * SECOND)
}

const jsonOf = (answer: ReadAnswer): unknown => parseJson(answer.text, hostOf(answer.url))
