import { Button, SegmentedControl, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { firstQuestStateQuery, type OwnQuest, ownQuestsQuery, type QuestState, questStates } from '../api/my.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { mayClose, FormPart, useFormPart } from '../shell/unsaved.ts'
import { LinkInPlace } from '../sign-in/link-in-place.tsx'
import { my } from '../texts/index.ts'
import { useLogos } from '../explore/use-logos.ts'
import { OwnQuestRow } from './own-quest-row.tsx'

const texts = my.quests

/** Quests by the progress of the account. */
export function OwnQuests() {
  const [chosen, setChosen] = useState<QuestState>()
  const first = useQuery(firstQuestStateQuery)
  // If the first state is unknown because of an error, the list shows the error.
  const state = chosen ?? first.data ?? (first.isError ? questStates[0] : undefined)
  const list = useFormPart()
  return (
    <Section title={texts.title}>
      {state === undefined ? (
        <Loading />
      ) : (
        <>
          <SegmentedControl
            aria-label={texts.filter}
            data={questStates.map((value) => ({ value, label: texts.states[value] }))}
            value={state}
            onChange={(value) => mayClose(list) && setChosen(value)}
            className="quest-states"
          />
          <FormPart value={list}>
            <QuestList
              key={state}
              state={state}
              isRead={chosen === undefined && first.isSuccess}
              showOthers={() => setChosen('open')}
            />
          </FormPart>
        </>
      )}
    </Section>
  )
}

interface QuestListProps {
  state: QuestState
  /** Whether the first page has just been read. */
  isRead: boolean
  showOthers: () => void
}

function QuestList({ state, isRead, showOthers }: QuestListProps) {
  const quests = useInfiniteQuery({ ...ownQuestsQuery(state), refetchOnMount: !isRead })
  // Keep an expanded quest in this list, even after its state changes.
  const [opened, setOpened] = useState<readonly OwnQuest[]>([])
  const found = quests.data?.pages.flatMap(({ list }) => list) ?? []
  const moved = opened.filter(({ quest }) => !found.some((one) => one.quest.id === quest.id))
  const shown = [...moved, ...found]
  const logos = useLogos(quests.data?.pages.map(({ list }) => list.map(({ quest }) => quest)) ?? [])
  if (quests.isPending) return <Loading />
  if (quests.isLoadingError) return <LoadFailure error={quests.error} retry={() => void quests.refetch()} />
  return (
    <>
      {shown.length > 0 && (
        <div>
          <Text size="sm" c="dimmed">
            {texts.leads[state]}
          </Text>
          <ul className="rows">
            {shown.map((one) => (
              <OwnQuestRow
                key={one.quest.id}
                of={one}
                logo={logos[one.quest.space.id]}
                onOpen={() =>
                  setOpened((now) => (now.some(({ quest }) => quest.id === one.quest.id) ? now : [...now, one]))
                }
              />
            ))}
          </ul>
        </div>
      )}
      {shown.length === 0 && quests.hasNextPage && <Text size="sm">{texts.searched}</Text>}
      {shown.length === 0 && !quests.hasNextPage && (
        <Empty icon="flag" title={texts.none[state]} text={texts.noneText[state]}>
          {state === 'ready' && (
            <Button variant="light" size="compact-sm" onClick={showOthers}>
              {texts.others}
            </Button>
          )}
          {state === 'almost' && <LinkInPlace label={my.link} />}
        </Empty>
      )}
      <MoreButton list={quests} label={texts.more} />
    </>
  )
}
