import type { GraphqlRequest } from '../api/graph.ts'
import type { Area } from '../api/tokens.ts'
import { curlCommand } from '../playground/curl-command.ts'

/** A query that a new token may send, and the lines that send it with the client package. */
export interface Sample extends GraphqlRequest {
  client: string
}

/** Some objects of each kind that the account can read. */
export type Known = Readonly<Record<'spaces' | 'starboards' | 'credentials', readonly { id: string }[]>>

interface SampleKind {
  area: Area
  /** Undefined if the query needs an object, and there is none of this kind. */
  sample: (known: Known) => Sample | undefined
}

const kinds: readonly SampleKind[] = [
  {
    area: 'space',
    sample: ({ spaces: [space] }) =>
      space && {
        query: `query Leaderboard($spaceId: Int!) {
  spaceLoyaltyPointsRanks(spaceId: $spaceId) {
    totalCount
    list { rank points address { username address } }
  }
}`,
        variables: { spaceId: Number(space.id) },
        client: `for await (const member of questboard.space(${space.id}).members({ maxPages: 1 }))
  console.log(member.rank, member.points, member.address?.username)`,
      },
  },
  {
    area: 'quest',
    sample: () => ({
      query: `query Quests($input: ListQuestInput!) {
  quests(input: $input) {
    totalCount
    list { id name status }
  }
}`,
      variables: { input: { first: 10 } },
      client: `const { totalCount, list } = await questboard.questPage({ first: 10 })
console.log(totalCount, list.map(({ id, name, status }) => ({ id, name, status })))`,
    }),
  },
  {
    area: 'starboard',
    sample: ({ starboards: [starboard] }) =>
      starboard && {
        query: `query Starboard($id: ID!) {
  starboard(id: $id) {
    basicInfo { name projectName type }
  }
}`,
        variables: { id: starboard.id },
        client: `console.log(await questboard.starboard(${JSON.stringify(starboard.id)}).basicInfo())`,
      },
  },
  {
    area: 'credential',
    sample: ({ credentials: [credential] }) =>
      credential && {
        query: `query Credential($id: ID!) {
  credential(id: $id) {
    name
    credType
    itemCount
  }
}`,
        variables: { id: credential.id },
        client: `console.log(await questboard.credential(${JSON.stringify(credential.id)}).info())`,
      },
  },
]

/** A sample that every token may send. */
const ANY: Sample = {
  query: '{ __typename }',
  variables: {},
  client: `console.log(await questboard.query('{ __typename }'))`,
}

export function sampleFor(areas: readonly Area[], known: Known): Sample {
  for (const { area, sample } of kinds) {
    const found = areas.includes(area) ? sample(known) : undefined
    if (found) return found
  }
  return ANY
}

export const LANGUAGES = ['curl', 'typescript', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

interface Access {
  /** The address of the installation, without a slash at the end. */
  origin: string
  token: string
}

/** The program that sends the sample, in each language. Only TypeScript needs a package. */
export function firstRequest({ origin, token }: Access, sample: Sample): Record<Language, string> {
  const { query, variables, client } = sample
  return {
    curl: curlCommand(origin, query, JSON.stringify(variables), { token }),
    typescript: `import { createQuestboard } from '@questboard/client'

const questboard = createQuestboard({
  baseUrl: '${origin}',
  accessToken: '${token}',
})

${client}`,
    // JSON without true, false and null is also valid Python, and `variables` has none of them.
    python: `import json
import urllib.request

query = """
${query}
"""
request = urllib.request.Request(
    "${origin}/query",
    data=json.dumps({"query": query, "variables": ${JSON.stringify(variables)}}).encode(),
    headers={"content-type": "application/json", "access-token": "${token}"},
)
with urllib.request.urlopen(request) as response:
    print(json.dumps(json.load(response), indent=2))`,
  }
}

/** The script of a web page that sends the sample with a publishable token. */
export function browserRequest({ origin, token }: Access, { query, variables }: Sample): string {
  return `const query = \`${query}\`
const response = await fetch('${origin}/query', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'access-token': '${token}' },
  body: JSON.stringify({ query, variables: ${JSON.stringify(variables)} }),
})
console.log(await response.json())`
}

/** A sample that a publishable token may send. */
export function sampleForBrowser(areas: readonly Area[], spaceIds: readonly number[], known: Known): Sample {
  const spaces = spaceIds.map((id) => ({ id: String(id) }))
  const sample = sampleFor(areas, { ...known, spaces })
  const { input } = sample.variables
  return input === undefined ? sample : { ...sample, variables: { input: { ...input, spaceId: spaces[0]?.id } } }
}
