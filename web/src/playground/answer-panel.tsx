import { useMemo } from 'react'
import { Alert, Badge, Code, Group, Text, Title } from '@mantine/core'
import { playground as texts } from '../texts/index.ts'
import { ErrorList } from './error-list.tsx'
import { JsonViewer } from './json-editor.tsx'
import type { Answer } from './query-endpoint.ts'

const t = texts.answer

/** The response of the service: status, readable errors, and the raw body. */
export function AnswerPanel({ answer, running }: { answer: Answer | undefined; running: boolean }) {
  const errors = answer?.body.errors ?? []
  const text = useMemo(() => (answer === undefined ? '' : JSON.stringify(answer.body, null, 2)), [answer])
  return (
    <>
      <Group gap="xs" className="playground-bar">
        <Title order={2} size="h5">
          {t.heading}
        </Title>
        <Group gap="xs" role="status" className="playground-status">
          {running ? (
            <Text size="sm">{t.running}</Text>
          ) : answer ? (
            <Outcome answer={answer} />
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

function Outcome({ answer }: { answer: Answer }) {
  const failed = answer.body.errors !== undefined
  return (
    <>
      <Badge color={failed ? 'red.9' : 'teal.9'} radius="sm" tt="none">
        {answer.status === 0 ? t.unreachable : t.status(answer.status)}
      </Badge>
      <Text size="sm">{t.milliseconds(answer.milliseconds)}</Text>
      {answer.requestId !== undefined && (
        <Text size="xs" className="playground-request">
          {t.request} <Code>{answer.requestId}</Code>
        </Text>
      )}
    </>
  )
}
