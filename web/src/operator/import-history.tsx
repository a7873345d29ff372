import { Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { importsQuery, type ListedImport } from '../api/imports.ts'
import { atTime } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { imports as t } from '../texts/operator-pages.ts'
import { kindOf } from './import-kind.ts'
import { messageOf } from './import-message.ts'
import { ImportStateBadge } from './import-state.tsx'

/** The imports of all operators, newest first. */
export function ImportHistory() {
  const imports = useInfiniteQuery(importsQuery)
  const found = imports.data?.pages.flatMap(({ items }) => items)
  return (
    <Section title={t.history} lead={t.historyLead}>
      {imports.isPending && <Loading />}
      {imports.isLoadingError && <LoadFailure error={imports.error} retry={() => void imports.refetch()} />}
      {found?.length === 0 && <Empty icon="import" title={t.none} />}
      <ul className="rows">
        {found?.map((one) => (
          <ImportRow key={one.id} one={one} />
        ))}
      </ul>
      <MoreButton list={imports} label={t.more} />
    </Section>
  )
}

function ImportRow({ one }: { one: ListedImport }) {
  const { id, fileName, by, createdAt, problemCount } = one
  const message = messageOf(one)
  const counts = countsOf(one)
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="xs">
          <Link href={`/operator/import/${id}`} className="text-link">
            {fileName}
          </Link>
          <ImportStateBadge one={one} />
        </Group>
        <Text size="sm" c="dimmed">
          {[kindOf(one), ...(counts === '' ? [] : [counts])].join(' · ')}
        </Text>
        <Text size="sm" c="dimmed">
          {t.uploadedBy(by.username ?? t.deletedAccount, atTime(createdAt))}
        </Text>
        {problemCount > 0 && (
          <Text size="sm" className="bad">
            {t.problems(problemCount)}
          </Text>
        )}
        {message !== null && (
          <Text size="sm" className="bad" lineClamp={2}>
            {message}
          </Text>
        )}
      </div>
    </li>
  )
}

function countsOf({ added, changed, unchanged, removed }: ListedImport): string {
  if (added === null || changed === null || unchanged === null) return ''
  return t.counts(added, changed, unchanged, removed)
}
