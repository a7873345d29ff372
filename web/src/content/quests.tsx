import { type ListedQuest, questsQuery } from '../api/content.ts'
import { content as texts, explore } from '../texts/index.ts'
import { ObjectList } from './object-list.tsx'

const t = texts.quests

/** Quests of other states have ended. */
const STATES = ['Active', 'Draft', 'NotStarted']
const rankOf = ({ status }: ListedQuest) => (STATES.includes(status) ? STATES.indexOf(status) : STATES.length)

interface QuestsProps {
  spaceId: number
  editable: boolean
  hideEmpty: boolean
}

/** The quests of a space, drafts included: those that run first, then those with the most participants. */
export function Quests({ spaceId, editable, hideEmpty }: QuestsProps) {
  return (
    <ObjectList
      title={t.title}
      none={t.none}
      noneText={t.noneText}
      hideEmpty={hideEmpty}
      query={questsQuery(spaceId)}
      order={(a, b) => rankOf(a) - rankOf(b) || b.participantsCount - a.participantsCount}
      all={t.all}
      hrefOf={(id) => `/content/quests/${encodeURIComponent(id)}`}
      factsOf={({ status, isPrivate, participantsCount }) => [
        explore.quest.statuses[status] ?? status,
        ...(isPrivate ? [texts.quest.isPrivate] : []),
        texts.quest.participants(participantsCount),
      ]}
      add={editable ? { href: `/content/spaces/${spaceId}/new-quest`, label: t.add } : undefined}
    />
  )
}
