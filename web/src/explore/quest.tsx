import './explore.css'
import { Badge } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Quest } from '@questboard/client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { runQuery } from '../api/graph.ts'
import { readinessQuery } from '../api/quests.ts'
import type { PageProps } from '../navigation/page.ts'
import { Description } from '../shell/description.tsx'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { content, explore as texts } from '../texts/index.ts'
import { Claim } from './claim.tsx'
import { CommunityLink } from './community-link.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type QuestAnswer, questRequest } from './requests.ts'
import { Readiness } from './readiness.tsx'
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
  // The form of the claim reads it.
  const isCompleted = useQuery({ ...readinessQuery(id, ''), enabled: false }).data?.state === 'completed'
  if (read.isPending) return <Loading />
  if (read.isLoadingError) return <UnreadablePage kind="quests" error={read.error} retry={() => void read.refetch()} />
  const asked = address === '' ? read : checked
  // If the query for an address fails, the quest and the form stay.
  const { quest } = asked.data ?? read.data
  return (
    <PageLayout title={quest.name} actions={<CommunityLink spaceId={quest.space.id} />}>
      <Description text={quest.description} />
      <About quest={quest} />
      <Claim questId={id} spaceId={quest.space.id} />
      <ForOthers folded={isCompleted}>
        <Readiness
          quest={quest}
          address={asked.data ? address : ''}
          pending={asked.isFetching}
          error={asked.error}
          check={(text) => (text === address ? void asked.refetch() : setAddress(text))}
        />
        <QueryBehind question={questRequest(id, address)} />
      </ForOthers>
    </PageLayout>
  )
}

/** The parts for integrators. A member who has completed the quest does not need them, but can be using them. */
function ForOthers({ folded, children }: { folded: boolean; children: ReactNode }) {
  const box = useRef<HTMLDetailsElement>(null)
  const [open, setOpen] = useState(!folded)
  useEffect(() => {
    if (!box.current?.contains(document.activeElement)) setOpen(!folded)
  }, [folded])
  return (
    <details className="for-others" ref={box} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary hidden={!folded}>{t.forOthers}</summary>
      <div>{children}</div>
    </details>
  )
}

const readQuest = (id: string, address: string) =>
  queryOptions({
    queryKey: ['graph', 'quest', id, address],
    queryFn: () => runQuery<QuestAnswer>(questRequest(id, address)),
  })

function About({ quest }: { quest: Quest }) {
  const { status, participantsCount: count, cap, loyaltyPoints } = quest
  return (
    <Section title={texts.space.about}>
      <div>
        <Badge variant="light" color={statusColour(status)} tt="none">
          {t.statuses[status] ?? status}
        </Badge>
      </div>
      <Values
        of={[
          [
            t.space,
            <Link key="space" href={`/explore/spaces/${quest.space.id}`} className="text-link">
              {quest.space.name}
            </Link>,
          ],
          [t.type, content.quest.types[quest.type] ?? quest.type],
          [t.period, periodOf(quest)],
          [t.places, cap > 0 ? texts.of(count, cap) : t.noCap(count)],
          [t.points, loyaltyPoints > 0 ? number(loyaltyPoints) : null],
          // Points are not on a chain.
          [t.gas, quest.type === 'Points' ? null : (t.gasTypes[quest.gasType] ?? quest.gasType)],
          [t.chain, quest.chain],
        ]}
      />
    </Section>
  )
}
