import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Inbox as Counts, inboxQuery } from '../api/operator.ts'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.inbox

/** The pages for each kind of work; apps are on the page of the inbox. */
const pages: Partial<Record<keyof Counts, string>> = {
  syncsFailed: '/operator/syncs',
  syncsHeld: '/operator/syncs',
  deliveriesLate: '/operator/health',
  webhooksDisabled: '/operator/health',
  bansEnding: '/operator/bans',
}

const names = Object.keys(t.counts) as (keyof Counts)[]

/**
 * The counts of pending work for operators. Skeletons reserve the space until they are loaded, so that the layout does
 * not move.
 */
export function Inbox() {
  const inbox = useQuery(inboxQuery)
  const isEmpty = inbox.data !== undefined && names.every((name) => inbox.data[name] === 0)
  return (
    <Section title={t.title} lead={isEmpty ? t.nothing : t.lead}>
      {inbox.isError ? (
        <LoadFailure error={inbox.error} retry={() => void inbox.refetch()} />
      ) : (
        <dl className="values facts">
          {names.map((name) => (
            <div key={name}>
              <dt>{t.counts[name]}</dt>
              <dd>
                {inbox.data ? (
                  <Count to={pages[name]} count={inbox.data[name]} label={t.counts[name]} />
                ) : (
                  <Skeleton className="loading" height={14} width="2rem" radius="sm" my={5} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  )
}

function Count({ to, count, label }: { to: string | undefined; count: number; label: string }) {
  if (to === undefined || count === 0) return number(count)
  return (
    <Link href={to} className="text-link" aria-label={`${label}: ${number(count)}`}>
      {number(count)}
    </Link>
  )
}
