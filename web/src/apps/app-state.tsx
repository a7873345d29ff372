import { Badge, Group } from '@mantine/core'
import type { AppStatus, OwnApp } from '../api/apps.ts'
import { serverApi as texts } from '../texts/index.ts'

const t = texts.apps
const colours: Record<AppStatus, string> = { pending: 'yellow', approved: 'teal', refused: 'red', suspended: 'red' }

/** The decision of the operator, and which changes wait for one. */
export function AppState({ app }: { app: OwnApp }) {
  const { status, proposedRedirectUris, proposedBackchannelLogoutUri, proposedDetails, proposedLogo } = app
  return (
    <Group gap="xs">
      <Badge variant="light" color={colours[status]} tt="none">
        {t.status[status]}
      </Badge>
      {(proposedDetails ?? proposedLogo) !== null && (
        <Badge variant="light" color="yellow" tt="none">
          {t.form.proposedDetails}
        </Badge>
      )}
      {proposedRedirectUris && (
        <Badge variant="light" color="yellow" tt="none">
          {t.form.proposedRedirectUris}
        </Badge>
      )}
      {proposedBackchannelLogoutUri !== null && (
        <Badge variant="light" color="yellow" tt="none">
          {t.form.proposedBackchannelLogoutUri}
        </Badge>
      )}
    </Group>
  )
}
