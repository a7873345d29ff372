import { z } from 'zod'
import { importRecords } from '../ingest/import-records.ts'
import type { QuestRecord } from '../ingest/records.ts'
import { MirrorError } from './mirror-error.ts'
import type { Mirroring } from './mirroring.ts'
import { creationTimes } from './order-of-quests.ts'
import { refusal } from './source-client.ts'
import { findLocalQuests, type LocalQuest } from './local-quests.queries.ts'

const FIELDS =
  'id name type status description startTime endTime cap participantsCount loyaltyPoints gasType chain space { id name }'
const QUEST = `query Quest($id: ID!) { quest(id: $id) { ${FIELDS} } }`
const QUESTS = `query Quests($input: ListQuestInput!) {
  quests(input: $input) { totalCount pageInfo { hasNextPage endCursor } list { ${FIELDS} } }
}`

const PAGE = 100

const time = z.union([z.int(), z.string()]).nullish()
const questShape = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  startTime: time,
  endTime: time,
  cap: z.int().nullish(),
  participantsCount: z.int(),
  loyaltyPoints: z.int(),
  gasType: z.string().nullish(),
  chain: z.string().nullish(),
  space: z.looseObject({ id: z.union([z.string(), z.int()]), name: z.string() }).nullish(),
})
type Quest = z.infer<typeof questShape>
const one = z.looseObject({ quest: questShape.nullable() })
const many = z.looseObject({
  quests: z
    .looseObject({
      totalCount: z.int().nullish(),
      pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
      list: z.array(questShape.nullable()),
    })
    .nullable(),
})

/** Copies single quests. The API does not name the credentials of conditions, so local credential groups remain. */
export async function mirrorQuests(mirroring: Mirroring, ids: readonly string[]): Promise<void> {
  const quests: Quest[] = []
  for (const id of ids) {
    const { data, errors } = await mirroring.client.ask(QUEST, { id }, one)
    if (!data.quest) throw refusal(`Quest ${id}`, errors)
    quests.push(data.quest)
    mirroring.progress('quests', quests.length, ids.length)
  }
  await store(mirroring, 'quests', quests)
}

/**
 * Copies the quests of a space in the source's order. Quests that were listed before and are no longer shown become
 * Deleted, if the list was read completely.
 */
export async function mirrorQuestsOfSpace(mirroring: Mirroring, spaceId: number): Promise<void> {
  const what = `quests of space ${spaceId}`
  const { complete, quests } = await readQuestsOfSpace(mirroring, what, spaceId)
  const stored = await findLocalQuests(mirroring.database.kysely, spaceId)
  const createdAt = creationTimes(
    [...quests.keys()],
    new Map([...stored.values()].map((quest) => [quest.id, quest.createdAt.getTime()])),
    mirroring.clock.now(),
  )
  await store(mirroring, what, [...quests.values()], spaceId, createdAt)
  if (!complete) return
  if (quests.size === 0 && stored.size > 0) {
    mirroring.say(`${what}: the source lists none, so none is set to Deleted; if this is correct, import that status`)
    return
  }
  const missing = [...stored.values()].filter(({ id, isShown }) => isShown && !quests.has(id))
  await deleteHidden(mirroring, what, spaceId, missing)
}

/** `complete` is true if the list was read to its end. */
async function readQuestsOfSpace(
  mirroring: Mirroring,
  what: string,
  spaceId: number,
): Promise<{ complete: boolean; quests: Map<string, Quest> }> {
  const quests = new Map<string, Quest>()
  for (let after: string | undefined; ;) {
    const input = { spaceId: String(spaceId), first: PAGE, ...(after === undefined ? {} : { after }) }
    let answer: Awaited<ReturnType<typeof requestQuests>>
    try {
      answer = await requestQuests(mirroring, input)
    } catch (error) {
      // Other implementations of the API may have no paging of quests: these list only the first page.
      if (after === undefined || !(error instanceof MirrorError) || error.code !== 'INVALID_ARGUMENT') throw error
      mirroring.say(`${what}: the source lists only the first ${quests.size}; specify others with --quest`)
      return { complete: false, quests }
    }
    if (!answer.data.quests) throw refusal(what, answer.errors)
    const { list, pageInfo, totalCount } = answer.data.quests
    const before = quests.size
    for (const quest of list) if (quest) quests.set(quest.id, quest)
    mirroring.progress(what, quests.size, totalCount ?? undefined)
    if (!pageInfo.hasNextPage) return { complete: true, quests }
    if (!pageInfo.endCursor) return { complete: false, quests }
    // A page may be empty if its quests were hidden.
    if (quests.size === before && (list.length > 0 || pageInfo.endCursor === after)) {
      mirroring.say(`${what}: the source repeats its first ${quests.size}; specify others with --quest`)
      return { complete: false, quests }
    }
    after = pageInfo.endCursor
  }
}

/** Marks quests as Deleted that are neither listed nor returned by the source. */
async function deleteHidden(
  mirroring: Mirroring,
  what: string,
  spaceId: number,
  missing: readonly LocalQuest[],
): Promise<void> {
  const hidden: QuestRecord[] = []
  for (const { id, name, type } of missing) {
    const { data, errors } = await mirroring.client.ask(QUEST, { id }, one)
    if (data.quest) continue
    const refused = refusal(`Quest ${id}`, errors)
    if (refused.code !== 'NOT_FOUND' && refused.code !== 'PERMISSION_DENIED') throw refused
    hidden.push({ id, spaceId, name, type: type as QuestRecord['type'], status: 'Deleted' })
  }
  if (hidden.length === 0) return
  await importRecords(mirroring, 'quests', hidden)
  mirroring.say(`${what}: ${hidden.length} that the source no longer shows are now Deleted`)
}

function requestQuests({ client }: Mirroring, input: object) {
  return client.ask(QUESTS, { input }, many)
}

async function store(
  mirroring: Mirroring,
  what: string,
  quests: Quest[],
  spaceId?: number,
  createdAt: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  const spaces = new Map<number, string>()
  const records = quests.map((quest): QuestRecord => {
    const id = quest.space ? Number(quest.space.id) : spaceId
    if (id === undefined || !Number.isSafeInteger(id)) throw new MirrorError(`Quest ${quest.id} names no space`)
    if (quest.space) spaces.set(id, quest.space.name)
    const created = createdAt.get(quest.id)
    const { name, status, startTime, endTime, participantsCount, loyaltyPoints, chain, description } = quest
    return {
      id: quest.id,
      spaceId: id,
      name,
      type: quest.type as QuestRecord['type'],
      // A mirror copies the status instead of computing it.
      status: status as QuestRecord['status'],
      description: description ?? '',
      startTime: startTime ?? null,
      endTime: endTime ?? null,
      cap: Math.max(0, quest.cap ?? 0),
      participantsCount,
      loyaltyPoints,
      ...(quest.gasType ? { gasType: quest.gasType as 'Gas' } : {}),
      chain: chain ?? null,
      ...(created === undefined ? {} : { createdAt: new Date(created) }),
    }
  })
  await importRecords(
    mirroring,
    'spaces',
    [...spaces].map(([id, name]) => ({ spaceId: id, name })),
  )
  const report = await importRecords(mirroring, 'quests', records)
  mirroring.say(`${what}: ${report.read} read, ${report.added} new, ${report.changed} changed`)
}
