// An app that uses the package. package.test.ts compiles it against the packed file; it does not run.
import {
  createQuestboard,
  createSignIn,
  type ErrorCode,
  groupMet,
  OAuthError,
  questAcceptsParticipation,
  QuestboardError,
  type QuestStatus,
  type ResultOf,
  type TypedDocument,
  type VariablesOf,
} from '@questboard/client'
import { type LogoutAlgorithm, readIdToken, verifyLogoutToken } from '@questboard/client/logout'

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
/** Compiles only if both types are the same. */
declare function same<One, Other>(...proof: Same<One, Other> extends true ? [] : ['different']): void

declare function exactly<Expected>(): <Actual>(
  value: Actual,
  ...proof: Same<Expected, Actual> extends true ? [] : ['different']
) => void

const questboard = createQuestboard({ baseUrl: 'https://api.example.com', accessToken: async () => 'token' })

export async function methods(): Promise<void> {
  for await (const member of questboard.space(40).members({ sprintId: 2 })) member.points.toFixed()
  for await (const { totalCount } of questboard.space(40).members().pages()) totalCount.toFixed()
  for await (const user of questboard.starboard('1').users()) user.xUserProfile.username.trim()
  for await (const quest of questboard.quests({ statuses: ['Active'], types: ['Drop', 'NewKind'] })) {
    questAcceptsParticipation(quest, new Date()).reasons.map(({ code }) => code satisfies string)
    // @ts-expect-error a quest of a list has no groups
    void quest.credentialGroups
  }
  const [group] = await questboard.quest('GC1').credentialGroups('0x1')
  if (group) groupMet(group).ok satisfies boolean
  const search = await questboard.space(40).findRank('0x1')
  if (search.found) search.member.rank.toFixed()
  else search.complete satisfies boolean
  const member = await questboard.space(40).rankOf('0x1')
  member?.rank.toFixed()
  for (const [address, rank] of await questboard.space(40).ranksOf(['0x1'])) {
    address.trim()
    rank?.points.toFixed()
  }
  for await (const { balance } of questboard.space(40).pointsHistory('0x1')) balance satisfies number | null
  ;(await questboard.credential(123n).eligible('0x1')) satisfies boolean
  // @ts-expect-error an address is not optional
  void questboard.credential(1).eligible()
}

export async function documents(): Promise<void> {
  const { space } = await questboard.query('query ($id: Int!) { space(id: $id) { name description } }', { id: 40 })
  exactly<{ name: string; description: string | null } | null>()(space)

  // @ts-expect-error a variable is missing
  await questboard.query('query ($id: Int!) { space(id: $id) { name } }')
  // @ts-expect-error a variable has another type
  await questboard.query('query ($id: Int!) { space(id: $id) { name } }', { id: '40' })
  // @ts-expect-error a field that is not in the document
  void (await questboard.query('{ space(id: 1) { name } }')).space?.id

  const document: string = '{ space(id: 1) { name } }'
  exactly<Record<string, unknown>>()(await questboard.query(document))
  exactly<{ space: { name: string } }>()(await questboard.query<{ space: { name: string } }>(document))
  const typed = {} as TypedDocument<{ a: number }, { b: string }>
  exactly<{ a: number }>()(await questboard.query(typed, { b: 'x' }))
}

/** A document with every kind of selection. */
export const everything = `# A comment with { braces } and "quotes"
query Board(
  $id: Int!
  $sprint: Int = 3,
  $after: String # another
  $statuses: [QuestStatus!]! = ["a)$"]
  $input: ListQuestInput!
) @live(if: true) {
  one: space(id: $id) {
    id
    ranks: loyaltyPointsRanks(cursorAfter: $after, sprintId: $sprint) {
      totalCount, pageInfo { ...Place }
      list { rank points address { username ... @include(if: $x) { avatar } } }
    }
  }
  quests(input: { spaceId: "4 ) \\" (", statuses: [Active] }) {
    __typename
    list { ...Listed unlisted { a } }
  }
  starboard(id: """a "block" )""") { basicInfo { name @skip(if: $x) } }
}
fragment Place on PageInfo { hasNextPage endCursor }
fragment Listed on Quest {
  id status
  credentialGroups(address: "0x") { conditions { eligible } ... on CredentialGroup { name } }
}
`
same<
  ResultOf<typeof everything>,
  {
    one: {
      id: string
      ranks: {
        totalCount: number
        pageInfo: { hasNextPage: boolean; endCursor: string | null }
        list: Array<{ rank: number; points: number; address: { username: string; avatar?: string } | null }>
      } | null
    } | null
    quests: {
      __typename: string
      list: Array<{
        id: string
        status: QuestStatus
        credentialGroups: Array<{ conditions: Array<{ eligible: boolean }>; name: string } | null> | null
        unlisted: unknown
      }>
    } | null
    starboard: { basicInfo: { name?: string } } | null
  }
>()
same<keyof VariablesOf<typeof everything>, 'id' | 'sprint' | 'after' | 'statuses' | 'input'>()
same<
  VariablesOf<'query ($id: Int!, $in: [ID!], $n: Int = 3) { a }'>,
  {
    id: number
    in?: ReadonlyArray<string | number> | null | undefined
    n?: number | null | undefined
  }
>()
// A document that is not one readable operation gets a loose type, not a wrong one.
same<ResultOf<'query A { space(id: 1) { id } } query B { space(id: 2) { id } }'>, Record<string, unknown>>()
same<ResultOf<'{ space(id: 1) { id }'>, Record<string, unknown>>()

export async function signIn(): Promise<void> {
  const client = createSignIn({
    baseUrl: 'https://id.example.com',
    clientId: 'app',
    clientSecret: 'secret',
    redirectUri: 'https://app.example.com/callback',
    scope: ['EVMAddress', 'Email'],
  })
  const { url, attempt } = await client.begin()
  const tokens = await client.finish(url, attempt)
  const session = client.session(tokens, async (renewed) => void renewed.refreshToken)
  const user = await client.userData(await session.accessToken())
  exactly<string | undefined>()(user.EVMAddress)
}

export async function signedOut(token: string): Promise<string | null> {
  const algorithms: readonly LogoutAlgorithm[] = ['RS256', 'ES256']
  const options = { issuer: 'https://id.example.com', clientId: 'app', algorithms }
  const { subject, sessionId, tokenId } = await verifyLogoutToken(token, options)
  exactly<string>()(tokenId)
  exactly<string>()(readIdToken({ idToken: token }).subject)
  return sessionId ?? subject
}

export function failures(error: unknown): ErrorCode | undefined {
  if (error instanceof OAuthError) return error.code === 'access_denied' ? error.message : error.code
  return error instanceof QuestboardError ? error.code : undefined
}
