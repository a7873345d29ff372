import './server-api.css'
import { Badge, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { appsQuery, type AppStatus, applyForApp, type OwnApp } from '../api/apps.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { signIn, serverApi as texts } from '../texts/index.ts'
import { AppFields, emptyApp } from './app-fields.tsx'
import { AppSettings } from './app-settings.tsx'

const t = texts.apps
const colours: Record<AppStatus, string> = { pending: 'yellow', approved: 'teal', refused: 'red', suspended: 'red' }

/** `/settings/server-api/apps` */
export default function AppsPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Apps />
    </PageLayout>
  )
}

/** The account's OAuth apps, and applying for one. */
function Apps() {
  const apps = useQuery(appsQuery)
  const [applying, setApplying] = useState(false)
  const apply = useMutation({ mutationFn: applyForApp, onSuccess: () => setApplying(false) })
  if (apps.isPending) return <Loading />
  if (apps.isLoadingError) return <Unreadable error={apps.error} retry={() => void apps.refetch()} />
  return (
    <>
      <Fault error={apps.error} />
      {apps.data.apps.length === 0 && !applying && (
        <Empty icon="cube" title={t.none}>
          <Button onClick={() => setApplying(true)}>{t.apply}</Button>
        </Empty>
      )}
      {apps.data.apps.map((app) => (
        <OneApp key={app.clientId} app={app} />
      ))}
      {applying ? (
        <Section title={t.apply}>
          <AppFields
            saved={emptyApp}
            fixed={false}
            action={t.form.send}
            pending={apply.isPending}
            error={apply.error}
            save={(form) => apply.mutate(form)}
            cancel={() => setApplying(false)}
          />
        </Section>
      ) : (
        apps.data.apps.length > 0 && (
          <div>
            <Button onClick={() => setApplying(true)}>{t.apply}</Button>
          </div>
        )
      )}
    </>
  )
}

function OneApp({ app }: { app: OwnApp }) {
  const [open, setOpen] = useState(false)
  return (
    <Section title={app.name}>
      <Group gap="sm">
        <Badge variant="light" color={colours[app.status]} tt="none">
          {t.status[app.status]}
        </Badge>
        {app.statusReason !== '' && <Text size="sm">{t.reason(app.statusReason)}</Text>}
      </Group>
      <dl className="values">
        <div>
          <dt>{t.clientId}</dt>
          <dd className="mono">{app.clientId}</dd>
        </div>
        {app.publicClient && (
          <div>
            <dt>{t.kind}</dt>
            <dd>{t.withoutServer}</dd>
          </div>
        )}
        <div>
          <dt>{t.form.redirectUris}</dt>
          {app.redirectUris.map((uri) => (
            <dd key={uri} className="mono">
              {uri}
            </dd>
          ))}
        </div>
        {app.proposedRedirectUris && (
          <div>
            <dt>{t.form.proposedRedirectUris}</dt>
            {app.proposedRedirectUris.map((uri) => (
              <dd key={uri} className="mono">
                {uri}
              </dd>
            ))}
          </div>
        )}
        <div>
          <dt>{t.form.scopes}</dt>
          <dd>{app.scopes.map((scope) => signIn.kinds[scope] ?? scope).join(', ')}</dd>
        </div>
      </dl>
      {open ? (
        <AppSettings app={app} close={() => setOpen(false)} />
      ) : (
        <div>
          <Button variant="default" size="xs" aria-label={t.changeNamed(app.name)} onClick={() => setOpen(true)}>
            {t.change}
          </Button>
        </div>
      )}
    </Section>
  )
}
