import { Badge } from '@mantine/core'
import type { ImportState, ListedImport } from '../api/imports.ts'
import { imports as t } from '../texts/operator-pages.ts'

const colours: Record<ImportState, string> = {
  uploading: 'gray',
  checking: 'blue',
  checked: 'yellow',
  storing: 'blue',
  stored: 'teal',
  refused: 'red',
  failed: 'red',
  cancelled: 'gray',
  expired: 'gray',
}

export function ImportStateBadge({ one: { state, undo } }: { one: ListedImport }) {
  if (undo !== null && undo.endedAt !== null)
    return (
      <Badge variant="light" color="gray" tt="none">
        {t.undo.undone}
      </Badge>
    )
  return (
    <Badge variant="light" color={colours[state]} tt="none">
      {t.states[state]}
    </Badge>
  )
}
