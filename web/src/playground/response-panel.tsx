import { useMemo } from 'react'
import { Alert, Badge, Code, Group, Text, Title } from '@mantine/core'
import { playground as texts } from '../texts/index.ts'
import { ErrorList } from './error-list.tsx'
import { JsonViewer } from './json-editor.tsx'
import type { QueryResponse } from './query-endpoint.ts'

const t = texts.response

/** The response of the service: status, readable errors, and the raw body. */
export function ResponsePanel({ response, running }: { response: QueryResponse | undefined; running: boolean }) {
  const errors = response?.body.errors ?? []
  const text = useMemo(() => (response === undefined ? '' : JSON.stringify(response.body, null, 2)), [response])
  return (
    <>
      <Group gap="xs" className="playground-bar">
        <Title order={2} size="h5">
          {t.heading}
        </Title>
        <Group gap="xs" role="status" className="playground-status">
          {running ? (
            <Text size="sm">{t.running}</Text>
          ) : response ? (
            <Outcome response={response} />
          ) : (
            <Text size="sm">{t.none}</Text>
          )}
        </Group>
      </Group>
      {!running && errors.length > 0 && (
        <Alert color="red" variant="light" p="xs" className="playground-errors" title={t.errors(errors.length)}>
          <ErrorList errors={errors} />
        </Alert>
      )}
      <JsonViewer label={t.editorLabel} text={text} />
    </>
  )
}

function Outcome({ response }: { response: QueryResponse }) {
  const failed = response.body.errors !== undefined
  return (
    <>
      <Badge color={failed ? 'red.9' : 'teal.9'} radius="sm" tt="none">
        {response.status === 0 ? t.unreachable : t.status(response.status)}
      </Badge>
      <Text size="sm">{t.milliseconds(response.milliseconds)}</Text>
      {response.requestId !== undefined && (
        <Text size="xs" className="playground-request-id">
          {t.request} <Code>{response.requestId}</Code>
        </Text>
      )}
    </>
  )
}
