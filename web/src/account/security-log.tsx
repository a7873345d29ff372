import { useInfiniteQuery } from '@tanstack/react-query'
import { auditQuery } from '../api/account.ts'
import { EventRow } from '../shell/event-row.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { account as texts, shell } from '../texts/index.ts'

const t = texts.security

/** The audit log of the account, newest first. */
export function SecurityLog() {
  const log = useInfiniteQuery(auditQuery)
  return (
    <Section title={t.log}>
      {log.isPending && <Loading />}
      {log.isError && <LoadFailure error={log.error} retry={() => void log.refetch()} />}
      <ol className="rows">
        {log.data?.pages.flatMap(({ events }) => events.map((event) => <EventRow key={event.eventId} event={event} />))}
      </ol>
      <MoreButton list={log} label={shell.more} />
    </Section>
  )
}
