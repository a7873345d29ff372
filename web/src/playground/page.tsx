import './page.css'
import { useEffect, useState } from 'react'
import { brand } from '../brand.ts'
import { playground as texts } from '../texts/index.ts'
import { rememberedToken, rememberToken, takeLinkedStart } from './access-token.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { Header } from './header.tsx'
import { storedRequest, type RequestText } from './request-text.ts'
import { TokenForm } from './token-form.tsx'
import { useConnection } from './use-connection.ts'
import { Workbench } from './workbench.tsx'

/** The playground: editors and documentation around `POST /query`, with a field for the token. */
export default function PlaygroundPage() {
  const [start] = useState(startOfLink)
  const [token, setToken] = useState(rememberedToken)
  const { connection, retry } = useConnection(token)

  useEffect(() => {
    document.title = texts.title(brand.name)
    const followLink = () => {
      const linked = takeLinkedStart()
      if (linked.token !== undefined) setToken(linked.token)
    }
    addEventListener('hashchange', followLink)
    return () => removeEventListener('hashchange', followLink)
  }, [])

  function changeToken(value: string) {
    rememberToken(value)
    if (value === token) retry()
    else setToken(value)
  }

  return (
    <div className="playground">
      <Header>
        <div className="playground-connection">
          <TokenForm token={token} onChange={changeToken} />
          <ConnectionNotice connection={connection} onRetry={retry} />
        </div>
      </Header>
      <Workbench connection={connection} start={start} />
    </div>
  )
}

/** The first content of the editors: from the link, else what this tab kept. */
function startOfLink(): RequestText {
  const { query, variables } = takeLinkedStart()
  return query === undefined ? storedRequest() : { query, variables: variables ?? '' }
}
