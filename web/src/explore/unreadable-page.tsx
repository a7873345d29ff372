import { Stack } from '@mantine/core'
import {
  type QueryObserverLoadingErrorResult,
  type QueryObserverRefetchErrorResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query'
import { ApiFailure } from '../api/call.ts'
import { QueryFailure } from '../api/graph.ts'
import { sessionQuery } from '../api/session.ts'
import { PageNotFound } from '../shell/not-found.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { content, explore as texts } from '../texts/index.ts'

export type Kind = keyof typeof texts.kind

interface UnreadablePageProps {
  kind: Kind
  error: Error
  /** The list to which an unknown ID leads; by default all objects of the kind. */
  list?: { href: string; label: string } | undefined
  retry: () => void
}

/** In place of a page whose subject could not be read. */
export function UnreadablePage({ kind, error, list, retry }: UnreadablePageProps) {
  if (isMissing(error)) return <UnknownId kind={kind} list={list} />
  return (
    <Stack>
      <PageTitle>{texts.kind[kind]}</PageTitle>
      <LoadFailure error={error} retry={retry} />
    </Stack>
  )
}

/** In place of a page of Your spaces whose object could not be read. */
export function UnreadableContent(props: Omit<UnreadablePageProps, 'list'>) {
  const isOperator = useQuery(sessionQuery).data?.account?.operator === true
  const label = isOperator ? content.titleOfAll : content.title
  return <UnreadablePage {...props} list={{ href: '/content', label }} />
}

/** A status alone is not enough, because a proxy can respond with 403 or 404, too. */
const isMissing = (error: Error): boolean =>
  error instanceof QueryFailure
    ? error.code === 'NOT_FOUND'
    : error instanceof ApiFailure && (error.code === 'not_found' || error.code === 'permission_denied')

type Unread = QueryObserverLoadingErrorResult | QueryObserverRefetchErrorResult

/** Whether an object could not be read, or is missing now. A page whose later reads fail stays with its input. */
export const isUnreadable = (read: UseQueryResult): read is Unread =>
  read.isLoadingError || (read.isRefetchError && isMissing(read.error))

/** In place of a page whose id belongs to nothing that the reader may see. */
export function UnknownId({
  kind,
  list = { href: `/explore/${kind}`, label: texts.all[kind] },
}: Pick<UnreadablePageProps, 'kind' | 'list'>) {
  return <PageNotFound title={texts.unknownId.titles[kind]} text={texts.unknownId.text} list={list} />
}
