import '../server-api/server-api.css'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { appsQuery, type OwnApp } from '../api/apps.ts'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { PageNotFound } from '../shell/not-found.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { TabLinks } from '../shell/tab-links.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi as texts } from '../texts/index.ts'
import { AppActivity } from './app-activity.tsx'
import { AppIntegration } from './app-integration.tsx'
import { AppOverview } from './app-overview.tsx'
import { AppSecrets } from './app-secrets.tsx'
import { AppSignIn } from './app-sign-in.tsx'
import { AppState } from './app-state.tsx'

const t = texts.apps

/** The tabs in their order. The path is the end of the address. */
const tabs: readonly { path: string; label: string; Content: ComponentType<{ app: OwnApp }> }[] = [
  { path: '', label: t.tabs.overview, Content: AppOverview },
  { path: 'sign-in', label: t.tabs.signIn, Content: AppSignIn },
  { path: 'secrets', label: t.tabs.secrets, Content: AppSecrets },
  { path: 'integration', label: t.tabs.integration, Content: AppIntegration },
  { path: 'activity', label: t.tabs.activity, Content: AppActivity },
]

/** `/settings/server-api/apps/:id/:tab?` */
export default function AppPage({ params: { id = '', tab = '' } }: PageProps) {
  const apps = useQuery(appsQuery)
  if (apps.isPending) return <Loading />
  if (apps.isLoadingError) return <LoadFailure error={apps.error} retry={() => void apps.refetch()} />
  const app = apps.data.apps.find(({ clientId }) => clientId === id)
  const current = tabs.find(({ path }) => path === tab)
  if (!app || !current) return <PageNotFound list={{ href: '/settings/server-api/apps', label: t.title }} />
  const base = `/settings/server-api/apps/${id}`
  return (
    <PageLayout title={app.name} actions={<AppState app={app} />}>
      {app.statusReason !== '' && <Text size="sm">{t.reason(app.statusReason)}</Text>}
      <TabLinks
        label={t.sections}
        tabs={tabs.map(({ path, label }) => ({
          href: path === '' ? base : `${base}/${path}`,
          label,
          isCurrent: path === tab,
        }))}
      />
      <current.Content key={`${id}/${tab}`} app={app} />
    </PageLayout>
  )
}
