import { Button, Group, Title } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { QueryEditor, useGraphiQL, useGraphiQLActions, VariableEditor } from '@graphiql/react'
import { COPIED_FOR } from '../shell/copied-for.ts'
import { playground as texts, shell } from '../texts/index.ts'
import { curlCommand } from './curl-command.ts'

const t = texts.question

/** Query and variables, and what can be done with them. */
export function QuestionPanel({ onRun, onReference }: { onRun: () => void; onReference: () => void }) {
  const actions = useGraphiQLActions()
  const running = useGraphiQL((state) => state.isFetching)
  const ready = useGraphiQL((state) => state.queryEditor !== undefined && state.responseEditor !== undefined)
  return (
    <>
      <Group gap="xs" className="panel-bar">
        <Title order={2} size="h5">
          {t.heading}
        </Title>
        <Group gap="xs" ml="auto">
          <Button size="compact-sm" variant="default" onClick={() => void actions.prettifyEditors()}>
            {t.prettify}
          </Button>
          <CopyCurl />
          <Button
            size="compact-sm"
            disabled={!ready}
            onClick={running ? () => actions.stop() : onRun}
            title={t.shortcut}
          >
            {running ? t.stop : t.run}
          </Button>
        </Group>
      </Group>
      <div className="editor query-editor">
        <QueryEditor tabIndex={-1} onClickReference={onReference} />
      </div>
      <Title order={3} size="h6" className="panel-bar">
        {t.variables}
      </Title>
      <div className="editor variables-editor">
        <VariableEditor tabIndex={-1} />
      </div>
    </>
  )
}

function CopyCurl() {
  const query = useGraphiQL((state) => state.queryEditor)
  const variables = useGraphiQL((state) => state.variableEditor)
  const clipboard = useClipboard({ timeout: COPIED_FOR })
  const label = clipboard.error ? t.copyFailed : clipboard.copied ? shell.copied : t.copyCurl
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => clipboard.copy(curlCommand(location.origin, query?.getValue() ?? '', variables?.getValue() ?? ''))}
    >
      {label}
    </Button>
  )
}
