import { Badge, Button, Text } from '@mantine/core'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Finding, healthQuery } from '../api/operator.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { operator as texts } from '../texts/operator-pages.ts'
import { nameOfFinding, textsOfFinding } from './describe-finding.ts'
import { Traffic, trafficQuery } from './traffic.tsx'
import { LateAndDisabledWebhooks } from './late-and-disabled-webhooks.tsx'

const t = texts.health
const colours: Record<Finding['state'], string> = { ok: 'teal', off: 'gray', note: 'yellow', problem: 'red' }

/** `/operator/health` */
export default function HealthPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Health />
    </PageLayout>
  )
}

/** The pending work, and the result of each check. A result with the state `note` or `problem` has advice. */
function Health() {
  const health = useQuery(healthQuery)
  usePrefetchQuery(trafficQuery)
  if (health.isPending)
    return (
      <>
        <Text size="sm">{t.asking}</Text>
        <Loading />
      </>
    )
  if (health.isLoadingError) return <LoadFailure error={health.error} retry={() => void health.refetch()} />
  const { checkedAt, work, webhooks, findings } = health.data
  const failedSyncs = work.syncsFailed ?? 0
  const problems = findings.filter(({ state }) => state === 'problem').length
  return (
    <>
      <Section title={t.work}>
        <dl className="values facts">
          {Object.entries(t.counts).map(([name, label]) => (
            <div key={name}>
              <dt>{label}</dt>
              <dd>
                {name === 'syncsFailed' && failedSyncs > 0 ? (
                  <Link href="/operator/syncs" className="text-link">
                    {number(failedSyncs)}
                  </Link>
                ) : (
                  number(work[name] ?? 0)
                )}
              </dd>
            </div>
          ))}
        </dl>
      </Section>
      <LateAndDisabledWebhooks webhooks={webhooks} checkedAt={checkedAt} />
      <Section
        title={t.findings}
        lead={problems > 0 ? t.problems(problems) : failedSyncs > 0 ? t.syncsFail : t.noProblems}
      >
        <ul className="rows">
          {findings.map((finding, place) => (
            <FindingRow key={place} finding={finding} />
          ))}
        </ul>
        {/* Shows the error of a failed refetch. The older data stays visible. */}
        <Fault error={health.error} />
        <div className="line-form">
          <Button variant="default" loading={health.isFetching} onClick={() => void health.refetch()}>
            {t.again}
          </Button>
          <Text size="sm" c="dimmed">
            {t.checked(atTime(checkedAt))}
          </Text>
        </div>
      </Section>
      <Traffic />
    </>
  )
}

/** A finding that this page cannot translate has the English texts of the service (`isEnglish`). */
function FindingRow({ finding }: { finding: Finding }) {
  const { summary, advice, isEnglish } = textsOfFinding(finding)
  const lang = isEnglish ? 'en' : undefined
  return (
    <li className="row">
      <div className="row-main">
        <Text fw={500}>{nameOfFinding(finding)}</Text>
        <Text size="sm" lang={lang}>
          {summary}
        </Text>
        {advice !== null && (
          <Text size="sm" c="dimmed" lang={lang}>
            {advice}
          </Text>
        )}
      </div>
      <Badge variant="light" color={colours[finding.state]} tt="none">
        {t.states[finding.state]}
      </Badge>
    </li>
  )
}
