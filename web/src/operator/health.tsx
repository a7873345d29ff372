import { Badge, Button, Text } from '@mantine/core'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { checkHealthAgain, type Finding, healthQuery } from '../api/operator.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { operator as texts } from '../texts/operator-pages.ts'
import { findingColours, nameOfFinding, outcomeOf, textsOfFinding, worstFirst } from './describe-finding.ts'
import { Traffic, trafficQuery } from './traffic.tsx'
import { LateAndDisabledWebhooks } from './late-and-disabled-webhooks.tsx'

const t = texts.health

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
  const again = useMutation({ mutationFn: checkHealthAgain })
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
  const outcome = outcomeOf(findings)
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
      <Section title={t.findings} lead={outcome.state !== 'problem' && failedSyncs > 0 ? t.syncsFail : outcome.text}>
        <ul className="rows">
          {worstFirst(findings).map((finding, place) => (
            <FindingRow key={place} finding={finding} />
          ))}
        </ul>
        {/* Shows the error of a failed refetch. The older data stays visible. */}
        <Fault error={again.error ?? health.error} />
        <div className="line-form">
          <Button variant="default" loading={again.isPending || health.isFetching} onClick={() => again.mutate()}>
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
      <Badge variant="light" color={findingColours[finding.state]} tt="none">
        {t.states[finding.state]}
      </Badge>
    </li>
  )
}
