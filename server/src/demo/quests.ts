import { DAY, HOUR, MINUTE } from '../clock.ts'
import type { ParticipantRecord, QuestRecord } from '../ingest/records.ts'
import { groupsOf } from './quest-groups.ts'
import type { Person } from './people.ts'
import { EXAMPLE_QUESTS, type QuestText, questTexts } from './quest-texts.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const CHAINS = ['ETHEREUM', 'BASE', 'ARBITRUM', 'OPTIMISM', 'POLYGON']

/** Quests whose participants are listed one by one. */
const listed: Readonly<Record<string, { cap: number; participantsCount: number; listed: number }>> = {
  [EXAMPLE_QUESTS.active]: { cap: 5_000, participantsCount: 0, listed: 1_287 },
  [EXAMPLE_QUESTS.full]: { cap: 400, participantsCount: 0, listed: 400 },
}

/**
 * All quests of the demo. Those without a status are moved by the service from the start; a draft and a deleted
 * one are told what they are.
 */
export function* questRecords(now: number): Generator<QuestRecord> {
  for (const [space, texts] of Object.entries(questTexts)) {
    const spaceId = Number(space)
    const random = seededRandom(`quests of space ${spaceId}`)
    for (const text of texts) yield questRecord(random, spaceId, text, now)
  }
}

function questRecord(random: SeededRandom, spaceId: number, text: QuestText, now: number): QuestRecord {
  const { id = `GC${Array.from({ length: 8 }, () => random.pick([...ALPHANUMERIC])).join('')}`, stage } = text
  const { startTime, endTime } = period(random, text, now)
  const { cap, participantsCount } = listed[id] ?? places(random, text, spaceId)
  const onChain = text.type === 'Drop' || text.type === 'Airdrop' || text.type === 'MysteryBox'
  return {
    id,
    spaceId,
    name: text.name,
    description: text.description,
    type: text.type,
    status: stage === 'draft' ? 'Draft' : stage === 'deleted' ? 'Deleted' : null,
    startTime: new Date(startTime),
    endTime: endTime === undefined ? null : new Date(endTime),
    cap,
    participantsCount,
    loyaltyPoints: random.pick([5, 10, 25, 50, 100]),
    gasType: onChain && random.chance(0.4) ? 'Gas' : 'Gasless',
    chain: onChain ? random.pick(CHAINS) : null,
    isPrivate: text.isPrivate === true,
    createdAt: new Date(Math.min(startTime, now) - random.whole(2, 140) * HOUR),
    credentialGroups: groupsOf(spaceId, text),
  }
}

/** Some fall due soon after the demo was loaded, so that one can watch the status change. */
function period(
  random: SeededRandom,
  { stage, startsIn, endsIn }: QuestText,
  now: number,
): { startTime: number; endTime: number | undefined } {
  const minutes = (least: number, most: number) => random.whole(least, most) * MINUTE
  switch (stage) {
    case 'scheduled': {
      const startTime = now + (startsIn === undefined ? minutes(60, 9 * 24 * 60) : startsIn * MINUTE)
      return { startTime, endTime: startTime + random.whole(2, 21) * DAY }
    }
    case 'over': {
      const endTime = now - minutes(600, 60 * 24 * 60)
      return { startTime: endTime - random.whole(3, 30) * DAY, endTime }
    }
    case 'draft':
      return { startTime: now + 20 * DAY, endTime: now + 40 * DAY }
    case 'deleted':
      return { startTime: now - 120 * DAY, endTime: now - 60 * DAY }
    case 'running':
    case 'full': {
      const startTime = now - minutes(36 * 60, 25 * 24 * 60)
      if (endsIn !== undefined) return { startTime, endTime: now + endsIn * MINUTE }
      return { startTime, endTime: random.chance(0.12) ? undefined : now + minutes(60, 30 * 24 * 60) }
    }
  }
}

const CROWD: Readonly<Record<number, number>> = {
  40: 2_600,
  41: 700,
  42: 500,
  43: 160,
  44: 60,
  45: 24,
  46: 8,
  47: 0,
  48: 15,
}

function places(
  random: SeededRandom,
  { stage, cap }: QuestText,
  spaceId: number,
): { cap: number; participantsCount: number } {
  if (cap !== undefined) return { cap, participantsCount: cap }
  const crowd = CROWD[spaceId] ?? 0
  const came = stage === 'running' || stage === 'over' ? Math.round(crowd * (0.1 + 0.8 * random.next())) : 0
  const capped = random.chance(0.3)
  return { cap: capped ? Math.max(20, Math.ceil((came * 1.4) / 10) * 10) : 0, participantsCount: came }
}

/** The community's first people joined the quests with a list, one after the other in the last day. */
export function* participantRecords(people: readonly Person[], now: number): Generator<ParticipantRecord> {
  for (const [questId, { listed: count }] of Object.entries(listed))
    for (const [place, { address }] of people.slice(0, count).entries())
      yield { questId, address, joinedAt: new Date(now - HOUR - Math.floor(((count - place) / count) * 20 * HOUR)) }
}
