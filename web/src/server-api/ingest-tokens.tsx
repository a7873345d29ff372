import './server-api.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  ingestTokensQuery,
  type IssuedIngestToken,
  regenerateIngestToken,
  revokeIngestToken,
} from '../api/ingest-tokens.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { SecretOnce } from '../shell/secret-once.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { hooks as texts, serverApi, shell } from '../texts/index.ts'
import { IngestTokenRow } from './ingest-token-row.tsx'
import { NewIngestTokenForm } from './new-ingest-token-form.tsx'
import { TokensOfCommands } from './tokens-of-commands.tsx'

const t = texts.ingest
const common = serverApi.tokens

/** `/settings/server-api/ingest-tokens` */
export default function IngestTokensPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <IngestTokens />
    </PageLayout>
  )
}

/** The tokens with which systems of the account write data. */
function IngestTokens() {
  const tokens = useQuery(ingestTokensQuery)
  const [making, setMaking] = useState(false)
  const [issued, setIssued] = useState<IssuedIngestToken>()
  const regenerate = useMutation({ mutationFn: regenerateIngestToken, onSuccess: setIssued })
  const revoke = useMutation({ mutationFn: revokeIngestToken, onSuccess: () => toast(shell.revoked) })
  if (tokens.isPending) return <Loading />
  if (tokens.isLoadingError) return <LoadFailure error={tokens.error} retry={() => void tokens.refetch()} />
  const live = tokens.data.tokens.filter(({ revokedAt }) => revokedAt === null)
  const generate = <Button onClick={() => setMaking(true)}>{t.generate}</Button>
  return (
    <Section title={common.heading}>
      {issued && (
        <SecretOnce title={common.made(issued.name)} value={issued.token} close={() => setIssued(undefined)} />
      )}
      {live.length === 0 && !making && (
        <Empty icon="key" title={t.none} text={t.noneText}>
          {generate}
        </Empty>
      )}
      {live.length === 0 && <TokensOfCommands command="questboard ingest-token list" />}
      <ul className="rows">
        {live.map((token) => (
          <IngestTokenRow
            key={token.tokenId}
            token={token}
            regenerate={() => regenerate.mutate(token.tokenId)}
            revoke={() => revoke.mutate(token.tokenId)}
          />
        ))}
      </ul>
      <Fault error={regenerate.error ?? revoke.error ?? tokens.error} />
      {making && (
        <NewIngestTokenForm
          onMade={(token) => {
            setIssued(token)
            setMaking(false)
          }}
          onCancel={() => setMaking(false)}
        />
      )}
      {live.length > 0 && !making && <div>{generate}</div>}
    </Section>
  )
}
