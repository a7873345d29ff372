import { Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { appEventsQuery } from '../api/account.ts'
import type { OwnApp } from '../api/apps.ts'
import { EventRow } from '../shell/event-row.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { serverApi as texts, shell } from '../texts/index.ts'
import { isDecided } from './app-form.ts'
import { AppUsers } from './app-users.tsx'

const t = texts.apps

/** The users of the app, and the events of the app in the log of its owner. */
export function AppActivity({ app }: { app: OwnApp }) {
  return (
    <>
      {isDecided(app) && <AppUsers app={app} />}
      <AppEvents clientId={app.clientId} />
    </>
  )
}

function AppEvents({ clientId }: { clientId: string }) {
  const log = useInfiniteQuery(appEventsQuery(clientId))
  const events = log.data?.pages.flatMap((page) => page.events) ?? []
  return (
    <Section title={t.events} lead={t.eventsLead}>
      {log.isPending && <Loading />}
      {log.isError && <LoadFailure error={log.error} retry={() => void log.refetch()} />}
      {log.data && events.length === 0 && <Text size="sm">{t.noEvents}</Text>}
      <ol className="rows">
        {events.map((event) => (
          <EventRow key={event.eventId} event={event} ofApp />
        ))}
      </ol>
      <MoreButton list={log} label={shell.more} />
    </Section>
  )
}
