import { NativeSelect, Text } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { questSearchQuery } from '../api/explore.ts'
import { completedQuestsQuery } from '../api/my.ts'
import { Loading } from '../shell/loading.tsx'
import { usePageParameter } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { explore as texts } from '../texts/index.ts'
import { NextPage } from './next-page.tsx'
import { QuestRow } from './quest-row.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type QuestsAnswer, questsRequest } from './requests.ts'
import { useLogos } from './use-logos.ts'
import { usePages } from './use-pages.ts'
import { useSearchForm } from './use-search-form.tsx'

const t = texts.quests
const choices = [
  { value: '', label: t.any },
  ...['Active', 'NotStarted', 'CapReached', 'Expired'].map((value) => ({
    value,
    label: texts.quest.statuses[value] ?? value,
  })),
]

const PAGE = 20
const FEW = 5

/** All public quests, with a search. */
export function PublicQuests() {
  const { status, field } = useStatus()
  const { search, form, nothingFound } = useSearchForm(texts.kinds.quests)
  return (
    <Section title={t.title}>
      {form}
      {field}
      {search === '' ? (
        <QuestPages status={status} />
      ) : (
        <FoundQuests search={search} status={status} nothingFound={nothingFound} />
      )}
    </Section>
  )
}

/** The public quests of one space. They are above its board, so they are read on by a button alone. */
export function QuestsOfSpace({ spaceId }: { spaceId: string }) {
  const { status, field } = useStatus()
  return (
    <Section title={texts.space.quests}>
      {field}
      <QuestPages spaceId={spaceId} status={status} />
    </Section>
  )
}

/** The status by which the address of the page filters the quests; empty for all. */
function useStatus(): { status: string; field: ReactNode } {
  const [given, setStatus] = usePageParameter('status')
  const status = choices.some(({ value }) => value === given) ? given : ''
  const field = (
    <div className="line-form">
      <NativeSelect
        label={t.status}
        value={status}
        onChange={(event) => setStatus(event.currentTarget.value)}
        data={choices}
      />
    </div>
  )
  return { status, field }
}

/** A search is not paged: it finds the 50 best matches. */
function FoundQuests({ search, status, nothingFound }: { search: string; status: string; nothingFound: ReactNode }) {
  const { data, error, isPending, refetch } = useQuery(questSearchQuery(search, status))
  const quests = data?.list ?? []
  const completed = useQuery(completedQuestsQuery(quests.map(({ id }) => id))).data ?? []
  const logos = useLogos([quests])
  if (isPending) return <Loading />
  if (error) return <LoadFailure error={error} retry={() => void refetch()} />
  if (quests.length === 0) return nothingFound
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {texts.shown(quests.length)}
        {data.complete ? '' : ` · ${t.more}`}
      </Text>
      <ul className="rows">
        {quests.map((quest) => (
          <QuestRow
            key={quest.id}
            quest={quest}
            isCompleted={completed.includes(quest.id)}
            withSpace
            logo={logos[quest.space.id]}
          />
        ))}
      </ul>
    </>
  )
}

function QuestPages({ spaceId, status }: { spaceId?: string; status: string }) {
  const size = spaceId === undefined ? PAGE : FEW
  const request = (after?: string) => questsRequest(status === '' ? [] : [status], size, spaceId, after)
  const pages = usePages<QuestsAnswer>(['quests', spaceId, status], request, ({ quests }) => quests.pageInfo)
  const quests = pages.data?.pages.flatMap(({ quests }) => quests.list) ?? []
  // One read for each page, so that the next page does not repeat the others.
  const completed = useQueries({
    queries: (pages.data?.pages ?? []).map(({ quests }) => completedQuestsQuery(quests.list.map(({ id }) => id))),
    combine: (reads) => new Set(reads.flatMap(({ data }) => data ?? [])),
  })
  const logos = useLogos(spaceId === undefined ? (pages.data?.pages ?? []).map(({ quests }) => quests.list) : [])
  const all = pages.data?.pages[0]?.quests.totalCount ?? 0
  return (
    <>
      {pages.isPending && <Loading />}
      {pages.isLoadingError && <LoadFailure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.data && quests.length === 0 && <Text>{t.none}</Text>}
      <ul className="rows">
        {quests.map((quest) => (
          <QuestRow
            key={quest.id}
            quest={quest}
            isCompleted={completed.has(quest.id)}
            withSpace={spaceId === undefined}
            logo={logos[quest.space.id]}
          />
        ))}
      </ul>
      {quests.length > 0 && (
        <NextPage pages={pages} shown={texts.of(quests.length, all)} byButton={spaceId !== undefined} />
      )}
      <QueryBehind request={request()} title={texts.query.list} />
    </>
  )
}
