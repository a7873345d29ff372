import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { runQuery } from '../api/graph.ts'
import { BanLink } from '../operator/ban-link.tsx'
import { Avatar } from '../shell/avatar.tsx'
import { Loading } from '../shell/loading.tsx'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { explore as texts, shell } from '../texts/index.ts'
import { type MemberAnswer, memberRequest } from './requests.ts'
import { RankHistory } from './rank-history.tsx'
import { Values } from './values.tsx'

const t = texts.member

interface MemberProps {
  spaceId: string
  sprintId: number | undefined
  address: string
  close: () => void
}

/** One member of a board, at any rank: its place and how it got there. */
export function Member({ spaceId, sprintId, address, close }: MemberProps) {
  const read = useQuery({
    queryKey: ['graph', 'member', spaceId, sprintId, address],
    queryFn: () => runQuery<MemberAnswer>(memberRequest(spaceId, address, sprintId)),
  })
  const member = read.data?.space.addressLoyaltyPoints
  return (
    <Section title={t.title}>
      <Group gap="sm" wrap="nowrap">
        <Avatar seed={address} size={32} />
        <Text className="mono">{address}</Text>
      </Group>
      {read.isPending && <Loading rows={2} />}
      {read.isError && <LoadFailure error={read.error} retry={() => void read.refetch()} />}
      {read.data && !member && <Text>{t.none}</Text>}
      {member && (
        <>
          <Values
            of={[
              [texts.space.rank, texts.of(member.rank, member.totalCount)],
              [texts.space.points, number(member.points)],
              [t.percentile, t.percent(member.percentile)],
            ]}
          />
          <RankHistory
            member={{ name: member.address, address: member.address }}
            now={{ rank: member.rank, points: member.points }}
            spaceId={spaceId}
            sprintId={sprintId}
          />
          <BanLink spaceId={spaceId} address={member.address} />
        </>
      )}
      <div>
        <Button variant="default" size="xs" onClick={close}>
          {shell.close}
        </Button>
      </div>
    </Section>
  )
}
