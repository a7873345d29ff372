import { questsQuery } from '../api/content.ts'
import { content as texts, explore } from '../texts/index.ts'
import { ObjectList } from './object-list.tsx'

const t = texts.quests

interface QuestsProps {
  spaceId: number
  editable: boolean
  hideEmpty: boolean
}

/** The quests of a space, drafts included. */
export function Quests({ spaceId, editable, hideEmpty }: QuestsProps) {
  return (
    <ObjectList
      title={t.title}
      none={t.none}
      noneText={t.noneText}
      hideEmpty={hideEmpty}
      query={questsQuery(spaceId)}
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
