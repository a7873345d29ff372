import './server-api.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { tokenRequestsQuery, tokensQuery } from '../api/tokens.ts'
import { Loading } from '../shell/loading.tsx'
import { PageNotFound } from '../shell/not-found.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi as texts } from '../texts/index.ts'
import { RequestTable } from './request-table.tsx'
import { TokenFacts } from './token-facts.tsx'

const t = texts.requests

/** `/settings/server-api/tokens/:id` */
export default function TokenPage() {
  const { id = '' } = useParams<{ id: string }>()
  const tokens = useQuery(tokensQuery)
  if (tokens.isPending) return <Loading />
  if (tokens.isLoadingError) return <LoadFailure error={tokens.error} retry={() => void tokens.refetch()} />
  const token = tokens.data.tokens.find(({ tokenId }) => tokenId === id)
  if (!token) return <PageNotFound list={{ href: '/settings/server-api', label: texts.title }} />
  return (
    <PageLayout title={token.name}>
      <Section title={t.token}>
        <TokenFacts token={token} />
      </Section>
      <LastRequests tokenId={id} />
    </PageLayout>
  )
}

/** The last requests with the token. They appear after some seconds, so a button reads them again. */
function LastRequests({ tokenId }: { tokenId: string }) {
  const read = useQuery(tokenRequestsQuery(tokenId))
  if (read.isPending) return <Loading />
  if (read.isLoadingError) return <LoadFailure error={read.error} retry={() => void read.refetch()} />
  return (
    <Section title={t.title} lead={t.lead}>
      <div>
        <Button size="xs" variant="default" loading={read.isFetching} onClick={() => void read.refetch()}>
          {t.refresh}
        </Button>
      </div>
      <RequestTable requests={read.data.requests} />
    </Section>
  )
}
