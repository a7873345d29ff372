import { Text } from '@mantine/core'
import { DocExplorer, DocExplorerStore } from '@graphiql/plugin-doc-explorer'
import '@graphiql/plugin-doc-explorer/style.css'
import { playground as texts } from '../texts/index.ts'

/** Types, fields and arguments with their descriptions from the service. */
export function DocumentationPanel({ connected }: { connected: boolean }) {
  if (!connected)
    return (
      <Text size="sm" p="xs">
        {texts.docs.needsToken}
      </Text>
    )
  return (
    <div className="scroller">
      <DocExplorerStore>
        <DocExplorer />
      </DocExplorerStore>
    </div>
  )
}
