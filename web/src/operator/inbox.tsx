import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Inbox as Counts, inboxQuery } from '../api/operator.ts'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { operator as texts } from '../texts/index.ts'

const t = texts.inbox

/** The pages where the work is done; apps are on the page of the inbox. */
const pages: Partial<Record<keyof Counts, string>> = {
  syncsFailed: '/operator/syncs',
  syncsHeld: '/operator/syncs',
  deliveriesLate: '/operator/health',
  webhooksDisabled: '/operator/health',
  bansEnding: '/operator/bans',
}

/** The counts of what waits for an operator. */
export function Inbox() {
  const inbox = useQuery(inboxQuery)
  const waiting = (Object.keys(t.counts) as (keyof Counts)[]).filter((name) => (inbox.data?.[name] ?? 0) > 0)
  return (
    <Section title={t.title} lead={t.lead}>
      {inbox.isPending && <Loading />}
      {inbox.isError && <Unreadable error={inbox.error} retry={() => void inbox.refetch()} />}
      {inbox.data && waiting.length === 0 && <Text>{t.nothing}</Text>}
      {inbox.data && waiting.length > 0 && (
        <dl className="values facts">
          {waiting.map((name) => (
            <div key={name}>
              <dt>{t.counts[name]}</dt>
              <dd>
                <Count to={pages[name]} count={inbox.data[name]} label={t.counts[name]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  )
}

function Count({ to, count, label }: { to: string | undefined; count: number; label: string }) {
  if (to === undefined) return number(count)
  return (
    <Link href={to} className="text-link" aria-label={`${label}: ${number(count)}`}>
      {number(count)}
    </Link>
  )
}
