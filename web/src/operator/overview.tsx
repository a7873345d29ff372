import { Button, Skeleton, Text } from '@mantine/core'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { spacesQuery } from '../api/content.ts'
import { allUsageQuery, healthQuery, inboxQuery, syncsQuery } from '../api/operator.ts'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { content } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'
import { HealthLine } from './health-line.tsx'
import { Inbox } from './inbox.tsx'

const t = texts.overview

const requestsQuery = allUsageQuery(1)
const allSpacesQuery = spacesQuery('')

const steps = [
  { name: 'space', href: '/content' },
  { name: 'import', href: '/operator/import' },
  { name: 'token', href: '/settings/server-api' },
  { name: 'operator', href: '/operator/people' },
] as const

/** `/operator`: what needs attention, the state of the installation, and where to continue. */
export default function OperatorOverviewPage() {
  usePrefetchQuery(healthQuery)
  usePrefetchQuery(allSpacesQuery)
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Overview />
    </PageLayout>
  )
}

/** The other sections wait for the inbox, because its height depends on the pending work. */
function Overview() {
  const inbox = useQuery(inboxQuery)
  if (inbox.isPending) return <Loading />
  return (
    <>
      {inbox.isLoadingError ? (
        <LoadFailure error={inbox.error} retry={() => void inbox.refetch()} />
      ) : (
        <Inbox counts={inbox.data} />
      )}
      <HealthLine />
      <Counts />
      <NextSteps />
    </>
  )
}

function Counts() {
  const [ofSpaces, ofSyncs, ofRequests] = [useQuery(allSpacesQuery), useQuery(syncsQuery), useQuery(requestsQuery)]
  const failed = [ofSpaces, ofSyncs, ofRequests].find((query) => query.isLoadingError)
  if (failed)
    return (
      <Section title={t.counts}>
        <LoadFailure error={failed.error} retry={() => void failed.refetch()} />
      </Section>
    )
  const spaces = ofSpaces.data
  const syncs = ofSyncs.data?.syncs.length
  const days = ofRequests.data?.usage[0]?.days
  const requests = days?.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <Section title={t.counts}>
      <dl className="values facts">
        <Count label={t.spaces} href="/content" count={spaces && countOf(spaces)} />
        <Count label={t.sources} href="/operator/syncs" count={syncs === undefined ? undefined : number(syncs)} />
        <Count
          label={t.requests}
          href="/operator/health"
          count={requests === undefined ? undefined : number(requests)}
        />
      </dl>
    </Section>
  )
}

const countOf = ({ items, next }: { items: unknown[]; next: string | null }) =>
  next === null ? number(items.length) : t.more(items.length)

function Count({ label, href, count }: { label: string; href: string; count: string | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {count === undefined ? (
          <Skeleton height={14} width="2rem" radius="sm" my={5} />
        ) : (
          <Link href={href} className="text-link" aria-label={`${label}: ${count}`}>
            {count}
          </Link>
        )}
      </dd>
    </div>
  )
}

/** Without a space, the first step is a button, because the other steps need one. */
function NextSteps() {
  const spaces = useQuery(allSpacesQuery)
  // The title would change.
  if (spaces.isPending) return <Loading />
  const hasNoSpace = spaces.data?.items.length === 0
  return (
    <Section title={hasNoSpace ? content.firstSteps.title : t.tasks}>
      <ul className="rows">
        {steps.map(({ name, href }) => (
          <li key={name} className="row">
            <div className="row-main">
              {name === 'space' && hasNoSpace ? (
                <Button component={Link} href={href}>
                  {t.steps[name].label}
                </Button>
              ) : (
                <Link href={href} className="text-link">
                  {t.steps[name].label}
                </Link>
              )}
              <Text size="sm" c="dimmed">
                {t.steps[name].text}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      <Text size="sm">
        <a href="/docs/guides/first-quest" className="text-link">
          {content.firstSteps.guide}
        </a>
      </Text>
    </Section>
  )
}
