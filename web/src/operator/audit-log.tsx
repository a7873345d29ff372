import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSearch } from 'wouter'
import { logQuery } from '../api/operator.ts'
import { Empty } from '../shell/empty.tsx'
import { EventRow } from '../shell/event-row.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { account, operator as texts, shell } from '../texts/index.ts'

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

/** What happened to all accounts, by account and by event. */
function AuditLog() {
  const given = new URLSearchParams(useSearch()).get('account') ?? ''
  const [text, setText] = useState(given)
  const [filter, setFilter] = useState({ account: given, event: '' })
  const log = useInfiniteQuery(logQuery(filter.account, filter.event))
  const entries = log.data?.pages.flatMap((page) => page.events) ?? []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setFilter({ ...filter, account: text.trim() })
  }
  const isFiltered = filter.account !== '' || filter.event !== ''
  const clear = () => {
    setText('')
    setFilter({ account: '', event: '' })
  }
  return (
    <Section title={t.events}>
      <form onSubmit={submit} className="line-form">
        <NativeSelect
          label={t.event}
          value={filter.event}
          onChange={({ currentTarget: { value } }) => setFilter({ ...filter, event: value })}
          data={events}
        />
        <TextInput
          label={t.account}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={40}
          autoComplete="off"
          spellCheck={false}
          className="wide-field"
        />
        <Button type="submit" variant="default">
          {t.apply}
        </Button>
      </form>
      {log.isPending && <Loading />}
      {log.isError && <Unreadable error={log.error} retry={() => void log.refetch()} />}
      {log.data && entries.length === 0 && (
        <Empty icon="list" title={t.none}>
          {isFiltered && (
            <Button variant="default" onClick={clear}>
              {t.clear}
            </Button>
          )}
        </Empty>
      )}
      <ol className="rows">
        {entries.map((entry) => (
          <EventRow key={entry.eventId} event={entry} account={entry.accountId} />
        ))}
      </ol>
      <MoreButton list={log} label={shell.more} />
    </Section>
  )
}
