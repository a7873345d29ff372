import { z } from 'zod'
import { importRecords } from '../ingest/import-records.ts'
import type { SampleRecord, UserRecord } from '../ingest/records.ts'
import { collect, type Mirroring, nextOf, storing } from './mirroring.ts'
import { refusal } from './source-client.ts'
import type { Spool } from './spool.ts'

const INFO = `query Starboard($id: ID!) {
  starboard(id: $id) { basicInfo {
    id name projectName description tags type reward { name description startTime endTime }
  } }
}`
const RANKING = `query Ranking($id: ID!, $first: Int!, $after: String) {
  starboard(id: $id) { leaderboard(pagination: { forward: { first: $first, after: $after } }) {
    pageInfo { hasNextPage endCursor }
    edges { node { xUserProfile { username followersCount verifiedType } influenceScore { value } } }
  } }
}`
const MIN_PAGE_SIZE = 50

const time = z.union([z.int(), z.string()]).nullish()
const text = z.string().nullish()
const infoShape = z.looseObject({
  starboard: z
    .looseObject({
      basicInfo: z.looseObject({
        name: z.string(),
        projectName: text,
        description: text,
        tags: z.array(z.string()).nullish(),
        type: z.string(),
        reward: z.looseObject({ name: text, description: text, startTime: time, endTime: time }).nullish(),
      }),
    })
    .nullable(),
})
const nodeShape = z.looseObject({
  xUserProfile: z
    .looseObject({ username: z.string(), followersCount: z.int().nullish(), verifiedType: text })
    .nullish(),
  influenceScore: z.looseObject({ value: z.union([z.string(), z.number()]) }).nullish(),
})
type Node = z.infer<typeof nodeShape>
const rankingShape = z.looseObject({
  starboard: z
    .looseObject({
      leaderboard: z
        .looseObject({
          pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
          edges: z.array(z.looseObject({ node: nodeShape.nullish() })),
        })
        .nullish(),
    })
    .nullable(),
})

async function* newestLast(spool: Spool<Node>): AsyncGenerator<Node> {
  yield* spool.earlierItems()
  yield* spool.items()
}

const VERIFIED = ['blue', 'business', 'government', 'none'] as const

/**
 * Copies a starboard, its users, and their scores as samples of the current time. Changes over 24 h, 7 d and 30 d need
 * samples of several runs. Links of addresses cannot be listed.
 */
export async function mirrorStarboard(mirroring: Mirroring, id: string): Promise<void> {
  const what = `starboard ${id}`
  const { data, errors } = await mirroring.client.ask(INFO, { id }, infoShape)
  if (!data.starboard) throw refusal(what, errors)
  const { name, projectName, description, tags, type, reward } = data.starboard.basicInfo
  const spool = await collect<Node>(mirroring, what, async (after, size) => {
    const answer = await mirroring.client.ask(
      RANKING,
      { id, first: size ?? MIN_PAGE_SIZE, after: after ?? null },
      rankingShape,
    )
    const ranking = answer.data.starboard?.leaderboard
    if (!ranking) throw refusal(what, answer.errors)
    return {
      items: ranking.edges.flatMap(({ node }) => (node ? [node] : [])),
      next: nextOf(ranking.pageInfo),
      total: undefined,
    }
  })
  const users = new Map<string, { user: UserRecord; sample: SampleRecord | undefined }>()
  for await (const { xUserProfile, influenceScore } of newestLast(spool)) {
    if (!xUserProfile) continue
    const { username, followersCount, verifiedType } = xUserProfile
    const sample = influenceScore
      ? { starboardId: id, handle: username, sampledAt: new Date(spool.state.startedAt), score: influenceScore.value }
      : undefined
    const user = {
      starboardId: id,
      username,
      followersCount: followersCount ?? 0,
      verifiedType: VERIFIED.find((known) => known === verifiedType) ?? 'none',
    }
    users.set(username.toLowerCase(), { user, sample })
  }
  const all = [...users.values()]
  const report = await storing(spool, async () => {
    await importRecords(mirroring, 'starboards', [
      {
        id,
        name,
        projectName: projectName ?? '',
        description: description ?? '',
        tags: tags ?? [],
        type: type as 'TWITTER',
        rewardName: reward?.name ?? null,
        rewardDescription: reward?.description ?? null,
        rewardStartTime: reward?.startTime ?? null,
        rewardEndTime: reward?.endTime ?? null,
      },
    ])
    const imported = await importRecords(
      mirroring,
      'users',
      all.map(({ user }) => user),
    )
    await importRecords(
      mirroring,
      'samples',
      all.flatMap(({ sample }) => sample ?? []),
    )
    return imported
  })
  mirroring.say(`${what}: ${report.read} users, ${report.added} new, ${report.changed} changed`)
}
