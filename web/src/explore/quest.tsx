import './explore.css'
import { Badge, Group } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Quest } from '@questboard/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { runQuery } from '../api/graph.ts'
import { readinessQuery } from '../api/quests.ts'
import type { PageProps } from '../navigation/page.ts'
import { Description } from '../shell/description.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { claim, content, explore as texts } from '../texts/index.ts'
import { Claim } from './claim.tsx'
import { CommunityLink } from './community-link.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type QuestAnswer, questRequest } from './requests.ts'
import { Readiness } from './readiness.tsx'
import { Rewards } from './rewards.tsx'
import { statusColour } from './status-colour.ts'
import { UnreadablePage } from './unreadable-page.tsx'
import { periodOf, Values } from './values.tsx'

const t = texts.quest

/** `/explore/quests/ID`: a quest, and whether an address is ready for it. */
export default function QuestPage({ params: { id = '' } }: PageProps) {
  return <KnownQuest key={id} id={id} />
}

function KnownQuest({ id }: { id: string }) {
  const [address, setAddress] = useState('')
  const read = useQuery(readQuest(id, ''))
  const checked = useQuery({ ...readQuest(id, address), enabled: address !== '' })
  if (read.isPending) return <Loading />
  if (read.isLoadingError) return <UnreadablePage kind="quests" error={read.error} retry={() => void read.refetch()} />
  const asked = address === '' ? read : checked
  // If the query for an address fails, the quest and the form stay.
  const { quest } = asked.data ?? read.data
  return (
    <PageLayout
      title={quest.name}
      lead={<Status id={id} quest={quest} />}
      actions={<CommunityLink spaceId={quest.space.id} />}
    >
      <Description text={quest.description} />
      <Claim questId={id} spaceId={quest.space.id} />
      <Rewards quest={read.data.quest} />
      <About quest={quest} />
      {/* For integrators, who check other addresses. */}
      <details className="for-others">
        <summary>{t.forOthers}</summary>
        <div>
          <Readiness
            quest={quest}
            address={asked.data ? address : ''}
            pending={asked.isFetching}
            error={asked.error}
            check={(text) => (text === address ? void asked.refetch() : setAddress(text))}
          />
          <QueryBehind request={questRequest(id, address)} />
        </div>
      </details>
    </PageLayout>
  )
}

const readQuest = (id: string, address: string) =>
  queryOptions({
    queryKey: ['graph', 'quest', id, address],
    queryFn: () => runQuery<QuestAnswer>(questRequest(id, address)),
  })

/** The community and the state of the quest; for a member who has completed it, the completion. */
function Status({ id, quest: { status, loyaltyPoints, space } }: { id: string; quest: Quest }) {
  const isCompleted = Boolean(useQuery(readinessQuery(id, '')).data?.completion)
  return (
    <Group gap="xs" component="span">
      <Link href={`/explore/spaces/${space.id}`} className="text-link">
        {space.name}
      </Link>
      <Badge component="span" variant="light" color={isCompleted ? 'teal' : statusColour(status)} tt="none">
        {isCompleted ? claim.completedTitle : (t.statuses[status] ?? status)}
      </Badge>
      {loyaltyPoints > 0 && texts.quests.gives(loyaltyPoints)}
    </Group>
  )
}

function About({ quest }: { quest: Quest }) {
  const { participantsCount: count, cap } = quest
  return (
    <Section title={texts.space.about}>
      <Values
        of={[
          [t.type, content.quest.types[quest.type] ?? quest.type],
          [t.period, periodOf(quest)],
          [t.places, cap > 0 ? texts.of(count, cap) : t.noCap(count)],
          // Points are not on a chain.
          [t.gas, quest.type === 'Points' ? null : (t.gasTypes[quest.gasType] ?? quest.gasType)],
          [t.chain, quest.chain],
        ]}
      />
    </Section>
  )
}
