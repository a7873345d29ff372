import { Button, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AppFilter, reviewedAppsQuery } from '../api/operator.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
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

/** The apps of all accounts. By default, only those that need a review. */
function AppReviews() {
  const [status, setStatus] = useState<AppFilter>('waiting')
  const apps = useQuery(reviewedAppsQuery(status))
  return (
    <>
      <div className="line-form">
        <NativeSelect
          label={t.show}
          value={status}
          onChange={(event) => setStatus(event.currentTarget.value as AppFilter)}
          data={choices}
        />
      </div>
      {apps.isPending && <Loading />}
      {apps.isError && <LoadFailure error={apps.error} retry={() => void apps.refetch()} />}
      {apps.data?.length === 0 && (
        <Empty icon="review" title={t.none} text={status === 'waiting' ? t.noneWaits : t.noneOfStatus}>
          {status !== '' && (
            <Button variant="default" onClick={() => setStatus('')}>
              {t.showAll}
            </Button>
          )}
        </Empty>
      )}
      {apps.data?.map((app) => (
        <AppReview key={app.clientId} app={app} />
      ))}
    </>
  )
}
