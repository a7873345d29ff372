import '@graphiql/react/style.css'
import './page.css'
import { GraphiQLProvider } from '@graphiql/react'
import { DOC_EXPLORER_PLUGIN } from '@graphiql/plugin-doc-explorer'
import type { Fetcher } from '@graphiql/toolkit'
import { useCallback, useEffect, useState } from 'react'
import { brand } from '../brand.ts'
import { playground as texts } from '../texts/index.ts'
import { rememberedToken, rememberToken, takeLinkedStart } from './access-token.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { editorThemes } from './editor-themes.ts'
import { examples } from './examples.ts'
import { variablesText } from './examples/example.ts'
import { setUpMonacoWorkers } from './monaco-workers.ts'
import { PageHeader } from './page-header.tsx'
import { type Answer, ask } from './query-endpoint.ts'
import { tabStorage } from './tab-storage.ts'
import { TokenForm } from './token-form.tsx'
import { useConnection } from './use-connection.ts'
import { Workbench } from './workbench.tsx'

setUpMonacoWorkers()
const linked = takeLinkedStart()
const plugins = [DOC_EXPLORER_PLUGIN]

const start = firstContent()

/** The playground: GraphiQL's editors and documentation around `POST /query`, with a field for the token. */
export default function PlaygroundPage() {
  const [token, setToken] = useState(rememberedToken)
  const [answer, setAnswer] = useState<Answer>()
  const { connection, retry } = useConnection(token)
  const { access } = connection

  useEffect(() => {
    document.title = texts.title(brand.name)
    const followLink = () => {
      const { token } = takeLinkedStart()
      if (token !== undefined) setToken(token)
    }
    addEventListener('hashchange', followLink)
    return () => removeEventListener('hashchange', followLink)
  }, [])

  const fetcher: Fetcher = useCallback(
    async (question) => {
      const answer = await ask(question, access)
      setAnswer(answer)
      return answer.body
    },
    [access],
  )

  function changeToken(value: string) {
    rememberToken(value)
    if (value === token) retry()
    else setToken(value)
  }

  return (
    <div className="page graphiql-container">
      <PageHeader>
        <div className="connection-bar">
          <TokenForm token={token} onChange={changeToken} />
          <ConnectionNotice connection={connection} onRetry={retry} />
        </div>
      </PageHeader>
      <GraphiQLProvider
        fetcher={fetcher}
        schema={connection.state === 'connected' ? connection.schema : null}
        storage={tabStorage}
        editorTheme={editorThemes}
        plugins={plugins}
        referencePlugin={DOC_EXPLORER_PLUGIN}
        {...start}
      >
        <Workbench answer={answer} connected={connection.state === 'connected'} />
      </GraphiQLProvider>
    </div>
  )
}

/** The initial content of the editors: from the link, else from the last use in this tab, else the first example. */
function firstContent(): { initialQuery?: string; initialVariables?: string } {
  if (linked.query !== undefined) return { initialQuery: linked.query, initialVariables: linked.variables ?? '' }
  if (tabStorage.getItem('graphiql:query') !== null) return {}
  const [first] = examples
  return first === undefined ? {} : { initialQuery: first.query, initialVariables: variablesText(first) }
}
