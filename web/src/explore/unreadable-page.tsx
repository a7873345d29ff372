import { Stack } from '@mantine/core'
import { QueryFailure } from '../api/graph.ts'
import { PageNotFound } from '../shell/not-found.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { explore as texts } from '../texts/index.ts'

export type Kind = keyof typeof texts.kind

interface UnreadablePageProps {
  kind: Kind
  error: Error
  retry: () => void
}

/** In place of a page whose subject could not be read. */
export function UnreadablePage({ kind, error, retry }: UnreadablePageProps) {
  if (error instanceof QueryFailure && error.code === 'NOT_FOUND') return <UnknownId kind={kind} />
  return (
    <Stack>
      <PageTitle>{texts.kind[kind]}</PageTitle>
      <LoadFailure error={error} retry={retry} />
    </Stack>
  )
}

/** In place of a page whose id belongs to nothing that the reader may see. */
export function UnknownId({ kind }: { kind: Kind }) {
  const list = { href: `/explore/${kind}`, label: texts.all[kind] }
  return <PageNotFound title={texts.unknownId.titles[kind]} text={texts.unknownId.text} list={list} />
}
