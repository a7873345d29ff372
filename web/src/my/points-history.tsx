import { NativeSelect, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ownRanksQuery, type PointsEntry, pointsHistoryQuery } from '../api/my.ts'
import { atTime } from '../shell/dates.ts'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { my, shell } from '../texts/index.ts'

const texts = my.history

/** The changes of the account's points in one space, with their reasons. */
export function PointsHistory() {
  const ranks = useQuery(ownRanksQuery).data?.list ?? []
  const spaces = [...new Map(ranks.map(({ space }) => [space.id, space.name]))]
  const [chosen, setChosen] = useState('')
  const spaceId = chosen === '' ? spaces[0]?.[0] : chosen
  if (spaceId === undefined) return null
  return (
    <Section title={texts.title} lead={texts.lead}>
      <NativeSelect
        label={texts.space}
        data={spaces.map(([value, label]) => ({ value, label }))}
        value={spaceId}
        onChange={(event) => setChosen(event.currentTarget.value)}
        className="history-space"
      />
      <Entries key={spaceId} spaceId={spaceId} />
    </Section>
  )
}

function Entries({ spaceId }: { spaceId: string }) {
  const history = useInfiniteQuery(pointsHistoryQuery(spaceId))
  if (history.isPending) return <Loading />
  if (history.isLoadingError) return <LoadFailure error={history.error} retry={() => void history.refetch()} />
  const entries = history.data.pages.flatMap(({ list }) => list)
  return (
    <>
      {entries.length === 0 && <Text size="sm">{texts.none}</Text>}
      <ol className="rows">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <MoreButton list={history} label={shell.more} />
    </>
  )
}

function Entry({ entry: { time, amount, pointsAfter, pending, source, reason, expiresAt } }: { entry: PointsEntry }) {
  const notes = [
    atTime(time),
    pending !== null && pending !== 0 ? texts.pending(signed(pending)) : '',
    expiresAt === null ? '' : texts.expires(atTime(expiresAt)),
    pointsAfter === null ? '' : texts.balance(pointsAfter),
  ]
  return (
    <li className="row history-entry">
      <div className="row-main">
        <Text size="sm" fw={500}>
          {[texts.sources[source] ?? source, reason ?? ''].filter((part) => part !== '').join(': ')}
        </Text>
        <Text size="xs" c="dimmed">
          {notes.filter((note) => note !== '').join(' · ')}
        </Text>
      </div>
      <Text fw={600} className={amount < 0 ? 'worse history-amount' : 'better history-amount'}>
        {signed(amount)}
      </Text>
    </li>
  )
}

const signed = (amount: number) => (amount > 0 ? `+${number(amount)}` : number(amount))
