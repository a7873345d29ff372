import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ownRanksQuery } from '../api/my.ts'
import { Empty } from '../shell/empty.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { LinkInPlace } from '../sign-in/link-in-place.tsx'
import { my } from '../texts/index.ts'
import { RankCard } from './rank-card.tsx'

const texts = my.ranks
const FEW = 6

export function OwnRanks() {
  const read = useQuery(ownRanksQuery)
  const [all, setAll] = useState(false)
  const ranks = read.data?.list ?? []
  const addresses = ranks.map(({ address }) => address)
  const shown = all ? ranks : ranks.slice(0, FEW)
  return (
    <Section title={texts.title}>
      {read.isPending && <Loading />}
      {read.isLoadingError && <LoadFailure error={read.error} retry={() => void read.refetch()} />}
      {read.data && ranks.length === 0 && (
        <Empty icon="chart" title={texts.none} text={texts.noneText}>
          <LinkInPlace label={my.link} />
        </Empty>
      )}
      {ranks.length > 0 && (
        <ul className="rank-cards">
          {shown.map((rank) => (
            <li key={`${rank.space.id} ${rank.address}`}>
              <RankCard rank={rank} addresses={addresses} />
            </li>
          ))}
        </ul>
      )}
      {shown.length < ranks.length && (
        <div>
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            {texts.all(ranks.length)}
          </Button>
        </div>
      )}
    </Section>
  )
}
