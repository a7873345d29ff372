import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { logQuery } from '../api/operator.ts'
import { Picker } from '../pickers/picker.tsx'
import { accounts } from '../pickers/source.ts'
import { Empty } from '../shell/empty.tsx'
import { EventRow } from '../shell/event-row.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { useChangeParameters, usePageParameter } from '../shell/page-parameter.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { account, shell } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.audit
const events = [
  { value: '', label: t.anyEvent },
  ...Object.entries(account.security.events).map(([value, label]) => ({ value, label })),
]

/** `/operator/log` */
export default function AuditLogPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <AuditLog />
    </PageLayout>
  )
}

/** The audit log of all accounts, filtered by account and event. */
function AuditLog() {
  const change = useChangeParameters()
  const [accountId, setAccount] = usePageParameter('account')
  const [given, setEvent] = usePageParameter('event')
  const event = events.some(({ value }) => value === given) ? given : ''
  const log = useInfiniteQuery(logQuery(accountId, event))
  const entries =
    log.data?.pages.flatMap(({ events, ...names }) =>
      events.map((event) => ({
        event,
        names,
        account: { id: event.accountId, username: names.usernames[event.accountId] },
      })),
    ) ?? []
  return (
    <Section title={t.events}>
      <div className="line-form">
        <NativeSelect
          label={t.event}
          value={event}
          onChange={({ currentTarget: { value } }) => setEvent(value)}
          data={events}
        />
        <Picker
          single
          className="wide-field"
          source={accounts}
          label={t.account}
          value={accountId === '' ? [] : [accountId]}
          onChange={([id = '']) => setAccount(id)}
        />
      </div>
      {log.isPending && <Loading />}
      {log.isError && <LoadFailure error={log.error} retry={() => void log.refetch()} />}
      {log.data && entries.length === 0 && (
        <Empty icon="list" title={t.none}>
          {(accountId !== '' || event !== '') && (
            <Button variant="default" onClick={() => change({ account: '', event: '' })}>
              {t.clear}
            </Button>
          )}
        </Empty>
      )}
      <ol className="rows">
        {entries.map(({ event, ...rest }) => (
          <EventRow key={event.eventId} event={event} {...rest} />
        ))}
      </ol>
      <MoreButton list={log} label={shell.more} />
    </Section>
  )
}
