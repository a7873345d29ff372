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

/** The public quests. Those of one space are above its board, so they are read on by a button alone. */
export function PublicQuests({ spaceId }: { spaceId?: string }) {
  const [given, setStatus] = usePageParameter('status')
  const status = choices.some(({ value }) => value === given) ? given : ''
  const { search: sought, form, nothingFound } = useSearchForm(texts.kinds.quests)
  const search = spaceId === undefined ? sought : ''
  return (
    <Section title={spaceId === undefined ? t.title : texts.space.quests}>
      {spaceId === undefined && form}
      <div className="line-form">
        <NativeSelect
          label={t.status}
          value={status}
          onChange={(event) => setStatus(event.currentTarget.value)}
          data={choices}
        />
      </div>
      {search === '' ? (
        <QuestPages spaceId={spaceId} status={status} />
      ) : (
        <FoundQuests search={search} status={status} nothingFound={nothingFound} />
      )}
    </Section>
  )
}

/** A search is not paged: it finds the 50 best matches. */
function FoundQuests({ search, status, nothingFound }: { search: string; status: string; nothingFound: ReactNode }) {
  const { data, error, isPending, refetch } = useQuery(questSearchQuery(search))
  const found = data?.list ?? []
  const completed = useQuery(completedQuestsQuery(found.map(({ id }) => id))).data ?? []
  const quests = found.filter((quest) => status === '' || quest.status === status)
  if (isPending) return <Loading />
  if (error) return <LoadFailure error={error} retry={() => void refetch()} />
  if (found.length === 0) return nothingFound
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {quests.length === 0 ? texts.notFound : texts.shown(quests.length)}
        {data.complete ? '' : ` · ${t.more}`}
      </Text>
      <ul className="rows">
        {quests.map((quest) => (
          <QuestRow key={quest.id} quest={quest} isCompleted={completed.includes(quest.id)} withSpace />
        ))}
      </ul>
    </>
  )
}

function QuestPages({ spaceId, status }: { spaceId: string | undefined; status: string }) {
  const size = spaceId === undefined ? PAGE : FEW
  const request = (after?: string) => questsRequest(status === '' ? [] : [status], size, spaceId, after)
  const pages = usePages<QuestsAnswer>(['quests', spaceId, status], request, ({ quests }) => quests.pageInfo)
  const quests = pages.data?.pages.flatMap(({ quests }) => quests.list) ?? []
  // One read for each page, so that the next page does not repeat the others.
  const completed = useQueries({
    queries: (pages.data?.pages ?? []).map(({ quests }) => completedQuestsQuery(quests.list.map(({ id }) => id))),
    combine: (reads) => new Set(reads.flatMap(({ data }) => data ?? [])),
  })
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
