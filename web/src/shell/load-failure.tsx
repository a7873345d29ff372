import { Button, Group } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'
import { Notice } from './notice.tsx'

/** Replaces content that could not be loaded: the error and a button to try again. */
export function LoadFailure({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <Notice kind="fault" title={texts.failed}>
      {error.message}
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={retry}>
          {texts.retry}
        </Button>
      </Group>
    </Notice>
  )
}
