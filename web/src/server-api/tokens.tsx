import './server-api.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type IssuedToken, regenerateToken, revokeToken, type ServerToken, tokensQuery } from '../api/tokens.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { SecretOnce } from '../shell/secret-once.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi as texts } from '../texts/index.ts'
import { FirstRequestInBrowser } from './first-request-in-browser.tsx'
import { FirstRequestOnServer } from './first-request-on-server.tsx'
import { NewTokenForm } from './new-token-form.tsx'
import { TokenRow } from './token-row.tsx'
import { TokensOfCommands } from './tokens-of-commands.tsx'

const t = texts.tokens

/** `/settings/server-api` */
export default function TokensPage() {
  return (
    <PageLayout title={texts.title} lead={texts.lead}>
      <Tokens />
    </PageLayout>
  )
}

/** The server tokens and publishable tokens of the account. A new or regenerated token is shown once. */
function Tokens() {
  const tokens = useQuery(tokensQuery)
  const [making, setMaking] = useState(false)
  const [issued, setIssued] = useState<IssuedToken>()
  const regenerate = useMutation({ mutationFn: regenerateToken, onSuccess: setIssued })
  const revoke = useMutation({ mutationFn: revokeToken })
  if (tokens.isPending) return <Loading />
  if (tokens.isLoadingError) return <LoadFailure error={tokens.error} retry={() => void tokens.refetch()} />
  const all = tokens.data.tokens
  const live = all.filter(isLive)
  const ended = all.filter((token) => !isLive(token))
  const rows = (list: ServerToken[]) => (
    <ul className="rows">
      {list.map((token) => (
        <TokenRow
          key={token.tokenId}
          token={token}
          live={isLive(token)}
          regenerate={() => regenerate.mutate(token.tokenId)}
          revoke={() => revoke.mutate(token.tokenId)}
        />
      ))}
    </ul>
  )
  const generate = <Button onClick={() => setMaking(true)}>{t.generate}</Button>
  return (
    <Section title={t.heading}>
      {issued && (
        <SecretOnce title={t.made(issued.name)} value={issued.token} close={() => setIssued(undefined)}>
          {issued.origins === null ? (
            <FirstRequestOnServer issued={issued} />
          ) : (
            <FirstRequestInBrowser issued={issued} />
          )}
        </SecretOnce>
      )}
      {live.length === 0 && !making && (
        <Empty icon="key" title={t.none} text={t.noneText}>
          {generate}
        </Empty>
      )}
      {live.length === 0 && <TokensOfCommands command="questboard token list" withPlans />}
      {rows(live)}
      <Fault error={regenerate.error ?? revoke.error ?? tokens.error} />
      {making && (
        <NewTokenForm
          onMade={(token) => {
            setIssued(token)
            setMaking(false)
          }}
          onCancel={() => setMaking(false)}
        />
      )}
      {live.length > 0 && !making && <div>{generate}</div>}
      {ended.length > 0 && (
        <details className="small-details">
          <summary>{t.ended(ended.length)}</summary>
          {rows(ended)}
        </details>
      )}
    </Section>
  )
}

const isLive = ({ revokedAt, expiresAt }: ServerToken) =>
  revokedAt === null && (expiresAt === null || new Date(expiresAt) > new Date())
