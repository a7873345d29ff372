import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AppFilter, reviewedAppsQuery } from '../api/operator.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { usePageParameter } from '../shell/page-parameter.ts'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'
import { AppReview } from './app-review.tsx'

const t = texts.apps
const choices = [
  { value: 'waiting', label: t.waiting },
  ...Object.entries<string>(serverApi.apps.status).map(([value, label]) => ({ value, label })),
  { value: '', label: t.all },
]

/** `/operator/apps` */
export default function AppReviewsPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <AppReviews />
    </PageLayout>
  )
}

/** The apps of all accounts. By default, only those that need a review. `?app=CLIENT_ID` names one app. */
function AppReviews() {
  const [chosen, setStatus] = useState<AppFilter>('waiting')
  const [clientId, setClientId] = usePageParameter('app')
  const status = clientId === '' ? chosen : ''
  const apps = useQuery(reviewedAppsQuery(status))
  const shown = apps.data?.filter((app) => clientId === '' || app.clientId === clientId)
  const choose = (filter: AppFilter) => {
    setStatus(filter)
    setClientId('')
  }
  const all = (
    <Button variant="default" onClick={() => choose('')}>
      {t.showAll}
    </Button>
  )
  return (
    <>
      <div className="line-form">
        <NativeSelect
          label={t.show}
          value={status}
          onChange={(event) => choose(event.currentTarget.value as AppFilter)}
          data={choices}
        />
        {clientId !== '' && shown?.length === 1 && all}
      </div>
      {apps.isPending && <Loading />}
      {apps.isError && <LoadFailure error={apps.error} retry={() => void apps.refetch()} />}
      {shown?.length === 0 && (
        <Empty
          icon="review"
          title={t.none}
          {...(clientId === '' && { text: status === 'waiting' ? t.noneWaits : t.noneOfStatus })}
        >
          {(status !== '' || clientId !== '') && all}
        </Empty>
      )}
      {shown?.map((app) => (
        <AppReview key={app.clientId} app={app} />
      ))}
    </>
  )
}
