import { Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type EntryKind, searchQuery } from '../api/explore.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { explore as texts } from '../texts/index.ts'
import { EntryRow } from './entry-row.tsx'
import { NextPage } from './next-page.tsx'
import { useSearchForm } from './use-search-form.tsx'

const FEW = 6

/** The first objects of a kind, with a link to the whole list. */
export function FewEntries<Kind extends EntryKind>({ kind }: { kind: Kind }) {
  const pages = useInfiniteQuery(searchQuery(kind, ''))
  const list = pages.data?.pages[0]?.list ?? []
  return (
    <div>
      <Text fw={600} mb="xs">
        {texts.kinds[kind]}
      </Text>
      {pages.isPending && <Loading />}
      {pages.isLoadingError && <LoadFailure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.data && list.length === 0 && <Text size="sm">{texts.nothing}</Text>}
      <ul className="rows">
        {list.slice(0, FEW).map((entry) => (
          <EntryRow key={entry.id} kind={kind} entry={entry} />
        ))}
      </ul>
      {list.length > FEW && (
        <Link href={`/explore/${kind}`} className="text-link">
          {texts.all[kind]}
        </Link>
      )}
    </div>
  )
}

/** All of a kind, found by name. */
export function AllEntries<Kind extends EntryKind>({ kind }: { kind: Kind }) {
  const { search, form, nothingFound } = useSearchForm(texts.kinds[kind])
  const pages = useInfiniteQuery(searchQuery(kind, search))
  const list = pages.data?.pages.flatMap((page) => page.list) ?? []
  return (
    <Section title={texts.all[kind]}>
      {form}
      {pages.isPending && <Loading />}
      {pages.isLoadingError && <LoadFailure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.data &&
        list.length === 0 &&
        (search === '' ? <Empty icon="search" title={texts.noneYet} /> : nothingFound)}
      <ul className="rows">
        {list.map((entry) => (
          <EntryRow key={entry.id} kind={kind} entry={entry} withId />
        ))}
      </ul>
      {list.length > 0 && <NextPage pages={pages} shown={texts.shown(list.length)} />}
    </Section>
  )
}
