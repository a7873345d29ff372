import { Alert, Anchor, Button, Code, Group, Loader, Text } from '@mantine/core'
import { playground as texts, shell } from '../texts/index.ts'
import type { Connection } from './connection.ts'
import { ErrorList } from './error-list.tsx'

const t = texts.connection
const SIGN_IN = '/sign-in?return=%2Fplayground'

/** Shows the state of the connection: no token, reading the schema, accepted, or rejected with the reason. */
export function ConnectionNotice({ connection, onRetry }: { connection: Connection; onRetry: () => void }) {
  return (
    <div className="playground-notice">
      {connection.state === 'no-token' && (
        <Alert role="note" p="sm" title={t.noToken} variant="light">
          <Anchor href={SIGN_IN} c="inherit" underline="always" inherit>
            {t.signIn}
          </Anchor>{' '}
          {t.noTokenHelp} <Code>bin/questboard token create</Code>
        </Alert>
      )}
      {connection.state === 'connecting' && (
        <Group role="status" gap="xs">
          <Loader size="xs" aria-hidden />
          <Text size="sm">{t.connecting}</Text>
        </Group>
      )}
      {connection.state === 'connected' && (
        <Text role="status" size="sm" className="playground-accepted">
          {'account' in connection.access ? t.signedInAs(connection.access.account.username) : t.connected}
        </Text>
      )}
      {connection.state === 'refused' && <Refusal connection={connection} onRetry={onRetry} />}
    </div>
  )
}

type RefusedConnection = Extract<Connection, { state: 'refused' }>

function Refusal({ connection, onRetry }: { connection: RefusedConnection; onRetry: () => void }) {
  const { response } = connection
  const aboutToken = response.status === 401
  return (
    <Alert color="red" p="sm" title={aboutToken ? t.refusedToken : t.refusedOther} variant="light">
      <ErrorList errors={response.body.errors ?? []} />
      {response.retryAfter !== undefined && <Text size="sm">{t.retryAfter(Number(response.retryAfter))}</Text>}
      {!aboutToken && (
        <Button mt="xs" size="compact-sm" variant="default" onClick={onRetry}>
          {shell.retry}
        </Button>
      )}
    </Alert>
  )
}
