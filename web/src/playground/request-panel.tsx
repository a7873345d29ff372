import { Button, Group, Text, Title } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { GraphQLSchema } from 'graphql'
import { COPIED_FOR } from '../shell/copied-for.ts'
import { playground as texts, shell } from '../texts/index.ts'
import { curlCommand } from './curl-command.ts'
import type { DocsEntry } from './docs/entry.ts'
import { formatJson, formatQuery } from './format-query.ts'
import { VariablesEditor } from './json-editor.tsx'
import { QueryEditor } from './query-editor.tsx'
import type { RequestText } from './request-text.ts'

const t = texts.request

interface RequestPanelProps {
  request: RequestText
  onChange: (change: (request: RequestText) => RequestText) => void
  /** The reason why the query was not sent. */
  problem: string | undefined
  schema: GraphQLSchema | undefined
  running: boolean
  /** The operation that would run; undefined if the query has only one. */
  operationName: () => string | undefined
  onRun: () => void
  onStop: () => void
  onShowDocs: (place: DocsEntry) => void
  onCursor: (offset: number) => void
}

/** Query and variables, and what can be done with them. */
export function RequestPanel({ request, onChange, problem, schema, running, operationName, ...on }: RequestPanelProps) {
  async function format() {
    const formatted = await formatQuery(request.query)
    onChange(({ query, variables }) => ({
      // The formatter may take a while to load. Text typed in the meantime stays.
      query: query === request.query ? formatted : query,
      variables: formatJson(variables),
    }))
  }
  return (
    <>
      <Group gap="xs" className="playground-bar">
        <Title order={2} size="h5">
          {t.heading}
        </Title>
        <Group gap="xs" ml="auto">
          <Button size="compact-sm" variant="default" onClick={() => void format()}>
            {t.prettify}
          </Button>
          <CopyCurl request={request} operationName={operationName} />
          <Button size="compact-sm" onClick={running ? on.onStop : on.onRun} title={t.shortcut}>
            {running ? t.stop : t.run}
          </Button>
        </Group>
      </Group>
      <QueryEditor
        query={request.query}
        onChange={(query) => onChange(({ variables }) => ({ query, variables }))}
        schema={schema}
        onShowDocs={on.onShowDocs}
        onCursor={on.onCursor}
      />
      <Title order={3} size="h6" className="playground-bar">
        {t.variables}
      </Title>
      {problem !== undefined && (
        <Text role="alert" size="sm" c="error" px="xs">
          {problem}
        </Text>
      )}
      <VariablesEditor
        label={t.variablesLabel}
        text={request.variables}
        onChange={(variables) => onChange(({ query }) => ({ query, variables }))}
      />
    </>
  )
}

function CopyCurl({
  request: { query, variables },
  operationName,
}: {
  request: RequestText
  operationName: () => string | undefined
}) {
  const clipboard = useClipboard({ timeout: COPIED_FOR })
  const label = clipboard.error ? t.copyFailed : clipboard.copied ? shell.copied : t.copyCurl
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => clipboard.copy(curlCommand(location.origin, query, variables, { operationName: operationName() }))}
    >
      {label}
    </Button>
  )
}
