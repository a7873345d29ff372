import { Button, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { auditQuery, type SecurityEvent } from '../api/account.ts'
import { atTime } from '../shell/dates.ts'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { texts } from '../texts/account.ts'
import { texts as signIn } from '../texts/sign-in.ts'

const t = texts.security

/** What happened to the account, newest first. */
export function SecurityLog() {
  const log = useInfiniteQuery(auditQuery)
  return (
    <Section title={t.log}>
      {log.isPending && <Loading />}
      {log.isError && <Unreadable error={log.error} retry={() => void log.refetch()} />}
      <ol className="rows">
        {log.data?.pages.flatMap(({ events }) =>
          events.map((event) => (
            <li key={event.eventId} className="row">
              <div className="row-main">
                {t.events[event.event] ?? event.event}
                <Text size="xs" c="dimmed">
                  {detailsOf(event)}
                </Text>
              </div>
              <Text size="sm" c="dimmed">
                {atTime(event.at)}
                {event.address && <span className="mono"> · {event.address}</span>}
              </Text>
            </li>
          )),
        )}
      </ol>
      {log.hasNextPage && (
        <div>
          <Button variant="default" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            {t.more}
          </Button>
        </div>
      )}
    </Section>
  )
}

/** The values that say which one it was; kinds by the names that people know. */
function detailsOf({ details = {}, clientId }: SecurityEvent): string {
  const values = Object.values(details).map((value) => signIn.kinds[value] ?? value)
  return [...values, ...(clientId === undefined ? [] : [clientId])].join(' · ')
}
