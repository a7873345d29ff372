import { z } from 'zod'
import { canonicalMember } from '../addresses/addresses.ts'
import { importRecords } from '../ingest/import-records.ts'
import type { PointsRecord } from '../ingest/records.ts'
import { collect, type Mirroring, nextOf, type PageSize, storing } from './mirroring.ts'
import { refusal } from './source-client.ts'

const SPACE = 'query Space($spaceId: Int!) { space(id: $spaceId) { id name description } }'
/** `first` is deprecated, so a source may not support it and use its own page size. */
const board = (size: PageSize) => `query Board($spaceId: Int!, $cursorAfter: String, $sprintId: Int) {
  space(id: $spaceId) { loyaltyPointsRanks(${size === undefined ? '' : `first: ${size}, `}cursorAfter: $cursorAfter, sprintId: $sprintId) {
    totalCount pageInfo { hasNextPage endCursor } list { rank points address { username address avatar } }
  } }
}`

const spaceShape = z.looseObject({
  space: z.looseObject({ name: z.string(), description: z.string().nullish() }).nullable(),
})
const boardShape = z.looseObject({
  space: z
    .looseObject({
      loyaltyPointsRanks: z
        .looseObject({
          totalCount: z.int().nullish(),
          pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
          list: z.array(
            z
              .looseObject({
                points: z.int(),
                address: z
                  .looseObject({ username: z.string().nullish(), address: z.string(), avatar: z.string().nullish() })
                  .nullish(),
              })
              .nullable(),
          ),
        })
        .nullish(),
    })
    .nullable(),
})

/** Copies a space, its overall board, and the boards of the given sprints; the API does not list sprints. */
export async function mirrorSpace(mirroring: Mirroring, spaceId: number, sprintIds: readonly number[]): Promise<void> {
  const { data, errors } = await mirroring.client.ask(SPACE, { spaceId }, spaceShape)
  if (!data.space) throw refusal(`Space ${spaceId}`, errors)
  const { name, description } = data.space
  await importRecords(mirroring, 'spaces', [{ spaceId, name, description: description ?? null }])
  await mirrorBoard(mirroring, spaceId, undefined)
  for (const sprintId of sprintIds) await mirrorBoard(mirroring, spaceId, sprintId)
}

async function mirrorBoard(mirroring: Mirroring, spaceId: number, sprintId: number | undefined): Promise<void> {
  const what = `space ${spaceId}${sprintId === undefined ? '' : ` sprint ${sprintId}`}`
  const spool = await collect<PointsRecord>(mirroring, what, async (cursorAfter, size) => {
    const variables = { spaceId, cursorAfter: cursorAfter ?? null, sprintId: sprintId ?? null }
    const { data, errors } = await mirroring.client.ask(board(size), variables, boardShape)
    const ranks = data.space?.loyaltyPointsRanks
    if (!ranks) throw refusal(what, errors)
    const items = ranks.list.flatMap((row): PointsRecord[] => {
      if (!row?.address) return []
      const { username, address, avatar } = row.address
      return [
        {
          spaceId,
          sprintId: sprintId ?? 0,
          address,
          points: row.points,
          username: username ?? '',
          avatar: avatar ?? '',
        },
      ]
    })
    return { items, next: nextOf(ranks.pageInfo), total: ranks.totalCount ?? undefined }
  })
  if (sprintId !== undefined) await importRecords(mirroring, 'sprints', [{ spaceId, sprintId }])
  let repeated = 0
  async function* once(): AsyncGenerator<PointsRecord> {
    const seen = new Set<string | undefined>()
    for await (const record of spool.items()) {
      const member = canonicalMember(record.address)
      if (seen.has(member)) repeated++
      else yield record
      seen.add(member)
    }
    for await (const record of spool.earlierItems()) {
      const member = canonicalMember(record.address)
      if (!seen.has(member)) yield record
      seen.add(member)
    }
  }
  const { total } = spool.state
  const report = await storing(spool, () => importRecords(mirroring, 'points', once()))
  mirroring.say(`${what}: ${report.read} members, ${report.added} new, ${report.changed} changed`)
  // If the list changes while it is read, members can be repeated or missing.
  if (repeated > 0 || (total !== undefined && total !== report.read))
    mirroring.say(
      `${what}: the source reported ${total ?? 'no number'}, returned ${report.read} and repeated ${repeated}; mirror it again to catch up`,
    )
}
