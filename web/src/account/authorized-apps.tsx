import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type AuthorizedApp, authorizedAppsQuery, withdrawApp } from '../api/account.ts'
import { nameOfScope } from '../consent/scope-name.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { onDay } from '../shell/dates.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { account as texts, consent, shell } from '../texts/index.ts'

const t = texts.apps

/** `/account/apps` */
export default function AuthorizedAppsPage() {
  return (
    <PageLayout title={t.title}>
      <AuthorizedApps />
    </PageLayout>
  )
}

/** Lists apps with access, the data that each can read, and a button to revoke it. */
function AuthorizedApps() {
  const apps = useQuery(authorizedAppsQuery)
  const withdraw = useMutation({ mutationFn: withdrawApp, onSuccess: () => toast(shell.revoked) })
  if (apps.isPending) return <Loading />
  if (apps.isError) return <LoadFailure error={apps.error} retry={() => void apps.refetch()} />
  return (
    <Stack>
      {apps.data.apps.length === 0 ? (
        <Empty icon="apps" title={t.none} text={t.noneText} />
      ) : (
        <Text c="dimmed">{t.lead}</Text>
      )}
      <Fault error={withdraw.error} />
      {apps.data.apps.map((app) => (
        <Section key={app.clientId} title={app.name} lead={leadOf(app)}>
          <Seen app={app} />
          <div>
            <ConfirmButton
              label={t.revoke}
              name={t.revokeNamed(nameOf(app))}
              question={t.confirm(nameOf(app))}
              pending={withdraw.isPending && withdraw.variables === app.clientId}
              onConfirm={() => withdraw.mutate(app.clientId)}
            />
          </div>
        </Section>
      ))}
    </Stack>
  )
}

/** The name with the publisher, because several hosts may publish apps of one name. */
const nameOf = ({ name, publisher }: AuthorizedApp): string => (publisher === null ? name : `${name} (${publisher})`)

function leadOf({ publisher, grantedAt, lastUsedAt }: AuthorizedApp): string {
  return [
    ...(publisher === null ? [] : [consent.publishedBy(publisher)]),
    t.granted(onDay(grantedAt)),
    ...(lastUsedAt === null ? [] : [t.used(onDay(lastUsedAt))]),
  ].join(' · ')
}

function Seen({ app: { shared, scopes } }: { app: AuthorizedApp }) {
  const values = scopes.flatMap((scope) =>
    (shared[scope] ?? []).map(({ subject, username }) => ({ scope, subject, value: username ?? subject })),
  )
  const rights = scopes.flatMap((scope) => {
    const note = consent.notes[scope]
    return note === undefined ? [] : [{ scope, note }]
  })
  if (values.length + rights.length === 0) return <Text size="sm">{t.nothing}</Text>
  return (
    <dl className="values">
      {values.map(({ scope, subject, value }) => (
        <div key={scope + subject}>
          <dt>{nameOfScope(scope)}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
      {rights.map(({ scope, note }) => (
        <div key={scope}>
          <dt>{nameOfScope(scope)}</dt>
          <dd>{note}</dd>
        </div>
      ))}
    </dl>
  )
}
