import { Stack } from '@mantine/core'
import { PageTitle } from '../shell/page-title.tsx'
import { Unreadable } from '../shell/unreadable.tsx'

/** In place of a page whose subject could not be read. */
export function UnreadablePage({ title, error, retry }: { title: string; error: Error; retry: () => void }) {
  return (
    <Stack>
      <PageTitle>{title}</PageTitle>
      <Unreadable error={error} retry={retry} />
    </Stack>
  )
}
