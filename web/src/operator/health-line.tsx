import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Health, healthQuery } from '../api/operator.ts'
import { atTime } from '../shell/dates.ts'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Section } from '../shell/section.tsx'
import { operator as texts } from '../texts/operator-pages.ts'
import { findingColours, outcomeOf } from './describe-finding.ts'

const t = texts.health

/** The result of all checks in a line, with a link to the page that lists them. */
export function HealthLine() {
  const health = useQuery(healthQuery)
  return (
    <Section title={t.title}>
      {health.isLoadingError ? (
        <LoadFailure error={health.error} retry={() => void health.refetch()} />
      ) : (
        // The line has one height, so that the checks move nothing when they end.
        <Group gap="xs" mih="1.6rem" role="status">
          {health.data ? <Result {...health.data} /> : <Text>{t.asking}</Text>}
        </Group>
      )}
      <Text size="sm">
        <Link href="/operator/health" className="text-link">
          {t.open}
        </Link>
      </Text>
    </Section>
  )
}

function Result({ findings, checkedAt }: Health) {
  const { state, text } = outcomeOf(findings)
  return (
    <>
      <Badge variant="light" color={findingColours[state]} tt="none">
        {t.states[state]}
      </Badge>
      <Text>{text}</Text>
      <Text size="sm" c="dimmed">
        {t.checked(atTime(checkedAt))}
      </Text>
    </>
  )
}
