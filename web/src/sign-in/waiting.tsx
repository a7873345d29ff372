import { Button, Loader, Text } from '@mantine/core'
import { shell } from '../texts/index.ts'

/** Shown while a wallet, the browser or another site responds. */
export function Waiting({ title, help, cancel }: { title: string; help: string; cancel?: () => void }) {
  return (
    <div className="waiting" role="status">
      <Loader size="sm" />
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed">
        {help}
      </Text>
      {cancel && (
        <Button variant="subtle" size="sm" onClick={cancel}>
          {shell.cancel}
        </Button>
      )}
    </div>
  )
}
