import '../server-api/server-api.css'
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { appsQuery, type OwnApp } from '../api/apps.ts'
import { Empty } from '../shell/empty.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi as texts } from '../texts/index.ts'
import { AppState } from './app-state.tsx'
import { Application } from './application.tsx'

const t = texts.apps

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
  if (apps.isPending) return <Loading />
  if (apps.isLoadingError) return <LoadFailure error={apps.error} retry={() => void apps.refetch()} />
  const list = apps.data.apps
  return (
    <>
      <Fault error={apps.error} />
      {list.length === 0 && !applying && (
        <Empty icon="cube" title={t.none} text={t.noneText}>
          <Button onClick={() => setApplying(true)}>{t.apply}</Button>
        </Empty>
      )}
      {list.length > 0 && (
        <Section title={t.yours}>
          <ul className="rows">
            {list.map((app) => (
              <AppRow key={app.clientId} app={app} />
            ))}
          </ul>
        </Section>
      )}
      {applying ? (
        <Application cancel={() => setApplying(false)} />
      ) : (
        list.length > 0 && (
          <div>
            <Button onClick={() => setApplying(true)}>{t.apply}</Button>
          </div>
        )
      )}
    </>
  )
}

function AppRow({ app }: { app: OwnApp }) {
  return (
    <li className="row">
      <div className="row-main">
        <Link href={`/settings/server-api/apps/${app.clientId}`} className="text-link">
          {app.name}
        </Link>
        <Text size="sm" c="dimmed" className="mono">
          {app.clientId}
        </Text>
      </div>
      <AppState app={app} />
    </li>
  )
}
