import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { appQuery, endSecret, issueSecret, type OwnApp } from '../api/apps.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { SecretOnce } from '../shell/secret-once.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi as texts, shell } from '../texts/index.ts'

const t = texts.apps

/** The secrets of an app. Apps without a server, and apps without an approval, have none. */
export function AppSecrets({ app }: { app: OwnApp }) {
  if (app.publicClient) return <Section title={t.secrets} lead={t.noSecretWithoutServer} children={null} />
  if (app.status !== 'approved') return <Section title={t.secrets} lead={t.noSecretYet} children={null} />
  return <SecretList app={app} />
}

/** At most two secrets are valid at once, so that a new one can be rolled out without a gap. */
function SecretList({ app }: { app: OwnApp }) {
  const read = useQuery(appQuery(app.clientId))
  const secrets = read.data?.secrets ?? []
  const [shown, setShown] = useState<string>()
  const issue = useMutation({
    mutationFn: () => issueSecret(app.clientId),
    onSuccess: ({ secret }) => setShown(secret),
  })
  const end = useMutation({
    mutationFn: (secretId: string) => endSecret(app.clientId, secretId),
    onSuccess: () => toast(shell.revoked),
  })
  return (
    <Section title={t.secrets} lead={t.secretsLead}>
      {shown !== undefined && (
        <SecretOnce title={t.secretMade(app.name)} value={shown} close={() => setShown(undefined)} />
      )}
      {read.isPending && <Loading rows={1} />}
      {read.isError && <LoadFailure error={read.error} retry={() => void read.refetch()} />}
      {read.data && secrets.length === 0 && <Text size="sm">{t.noSecret}</Text>}
      <ul className="rows">
        {secrets.map(({ secretId, createdAt, expiresAt }) => (
          <li key={secretId} className="row">
            <Text size="sm" className="row-main">
              {t.secretSince(atTime(createdAt))}
              {expiresAt !== null && ` · ${t.secretUntil(atTime(expiresAt))}`}
            </Text>
            <ConfirmButton label={t.endSecret} question={t.endSecretQuestion} onConfirm={() => end.mutate(secretId)} />
          </li>
        ))}
      </ul>
      <Fault error={issue.error ?? end.error} />
      <div>
        {read.isPending ? null : secrets.length === 0 ? (
          <Button size="xs" loading={issue.isPending} onClick={() => issue.mutate()}>
            {t.newSecret}
          </Button>
        ) : (
          <ConfirmButton
            label={t.newSecret}
            question={t.newSecretQuestion}
            pending={issue.isPending}
            onConfirm={() => issue.mutate()}
          />
        )}
      </div>
    </Section>
  )
}
