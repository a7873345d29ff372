import './server-api.css'
import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type IngestToken,
  ingestTokensQuery,
  type IssuedIngestToken,
  regenerateIngestToken,
  revokeIngestToken,
} from '../api/ingest-tokens.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime, onDay } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { SecretOnce } from '../shell/secret-once.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { hooks as texts, serverApi, shell } from '../texts/index.ts'
import { showIds } from './ids.ts'
import { NewIngestTokenForm } from './new-ingest-token-form.tsx'
import { TokenName } from './token-name.tsx'

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

/** The tokens with which the account's own systems write. */
function IngestTokens() {
  const tokens = useQuery(ingestTokensQuery)
  const [making, setMaking] = useState(false)
  const [issued, setIssued] = useState<IssuedIngestToken>()
  const regenerate = useMutation({ mutationFn: regenerateIngestToken, onSuccess: setIssued })
  const revoke = useMutation({ mutationFn: revokeIngestToken, onSuccess: () => toast(shell.revoked) })
  if (tokens.isPending) return <Loading />
  if (tokens.isLoadingError) return <Unreadable error={tokens.error} retry={() => void tokens.refetch()} />
  const live = tokens.data.tokens.filter(({ revokedAt }) => revokedAt === null)
  return (
    <Section title={common.heading}>
      {issued && (
        <SecretOnce title={common.made(issued.name)} value={issued.token} close={() => setIssued(undefined)} />
      )}
      {live.length === 0 && <Text>{t.none}</Text>}
      <ul className="rows">
        {live.map((token) => (
          <li key={token.tokenId} className="row">
            <div className="row-main">
              <TokenName token={token} />
              <Text size="sm" c="dimmed">
                {[t.writes(scopeOf(token)), common.created(onDay(token.createdAt)), endOf(token), useOf(token)]
                  .filter((part) => part !== undefined)
                  .join(' · ')}
              </Text>
            </div>
            <Group gap="xs">
              <ConfirmButton
                label={common.regenerate}
                name={common.regenerateNamed(token.name)}
                question={common.regenerateQuestion}
                onConfirm={() => regenerate.mutate(token.tokenId)}
              />
              <ConfirmButton
                label={common.revoke}
                name={common.revokeNamed(token.name)}
                question={common.revokeQuestion}
                onConfirm={() => revoke.mutate(token.tokenId)}
              />
            </Group>
          </li>
        ))}
      </ul>
      <Fault error={regenerate.error ?? revoke.error ?? tokens.error} />
      {making ? (
        <NewIngestTokenForm
          onMade={(token) => {
            setIssued(token)
            setMaking(false)
          }}
          onCancel={() => setMaking(false)}
        />
      ) : (
        <div>
          <Button onClick={() => setMaking(true)}>{t.generate}</Button>
        </div>
      )}
    </Section>
  )
}

function scopeOf({ scope: { spaceIds, starboardIds, credentialIds } }: IngestToken): string {
  const kinds = [
    ['spaces', spaceIds],
    ['starboards', starboardIds],
    ['credentials', credentialIds],
  ] as const
  return kinds
    .filter(([, ids]) => ids?.length !== 0)
    .map(([kind, ids]) => (ids === null ? t.all[kind] : t.some[kind](showIds(ids))))
    .join('; ')
}

const endOf = ({ expiresAt }: IngestToken) => (expiresAt === null ? undefined : common.expires(onDay(expiresAt)))
const useOf = ({ lastUsedAt }: IngestToken) => (lastUsedAt === null ? common.unused : common.used(atTime(lastUsedAt)))
