import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { runQuery } from '../api/graph.ts'
import { completedQuestsQuery } from '../api/my.ts'
import { Section } from '../shell/section.tsx'
import { claim as texts } from '../texts/index.ts'
import { QuestRow } from './quest-row.tsx'
import { type QuestsAnswer, questsRequest } from './requests.ts'

const MAX_SHOWN = 3
/** The active quests that are compared with those of the account. */
const MAX_READ = 20

/** After a completion: active quests of the space that the account has not completed. */
export function NextQuests({ spaceId }: { spaceId: string }) {
  const active = useQuery({
    queryKey: ['graph', 'next-quests', spaceId],
    queryFn: () => runQuery<QuestsAnswer>(questsRequest(['Active'], MAX_READ, spaceId)),
  }).data?.quests
  const list = active?.list ?? []
  const completed = useQuery(completedQuestsQuery(list.map(({ id }) => id)))
  // Without both answers, completed quests could be offered.
  if (!active || (list.length > 0 && !completed.data)) return null
  const left = list.filter(({ id }) => completed.data?.includes(id) !== true)
  return (
    <Section title={texts.next.title}>
      {left.length === 0 && active.totalCount <= MAX_READ && <Text size="sm">{texts.next.none}</Text>}
      {left.length > 0 && (
        <ul className="rows">
          {left.slice(0, MAX_SHOWN).map((quest) => (
            <QuestRow key={quest.id} quest={quest} isCompleted={false} withSpace={false} />
          ))}
        </ul>
      )}
      <Link href={`/explore/spaces/${spaceId}`} className="text-link">
        {texts.next.all}
      </Link>
    </Section>
  )
}
