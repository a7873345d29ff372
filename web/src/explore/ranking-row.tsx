import { Table, Text, VisuallyHidden } from '@mantine/core'
import type { StarboardLeaderboardNode } from '@questboard/client'
import { Avatar, starboardAvatarOf } from '../shell/avatar.tsx'
import { number } from '../shell/numbers.ts'
import { explore as texts, locale } from '../texts/index.ts'

const t = texts.starboard
const changes = ['change24H', 'change7D', 'change30D'] as const

/** A user of a starboard: place and score, and how both moved. */
export function RankingRow({ starboard, node }: { starboard: string; node: StarboardLeaderboardNode }) {
  const { xUserProfile: user, rank, influenceScore } = node
  const verified = t.verified[user.verifiedType]
  return (
    <Table.Tr>
      <Table.Td ta="right" className="nowrap">
        {number(Number(rank.value))} <Moved by={rank.delta} />
      </Table.Td>
      <Table.Td className="nowrap ranking-user" title={`${user.name} @${user.username}`}>
        <Avatar
          seed={user.username}
          src={starboardAvatarOf(starboard, user.username, user.profileImageUrl)}
          size={20}
        />{' '}
        <Text span fw={500}>
          {user.name}
        </Text>
        <Text span size="xs" c="dimmed" className="ranking-handle">
          @{user.username}
          {verified !== undefined && ` · ${verified}`}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="nowrap">
        {score(influenceScore.value)}
      </Table.Td>
      {changes.map((change) => (
        <Table.Td key={change} ta="right" className="nowrap">
          <Change rate={node[change].deltaRate} />
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

/** `by` < 0: nearer to the top. */
function Moved({ by }: { by: number }) {
  if (by === 0) return null
  const better = by < 0
  const places = Math.abs(by)
  return (
    <span className={better ? 'moved better' : 'moved worse'}>
      <span aria-hidden>
        {better ? '▲' : '▼'}
        {places}
      </span>
      <VisuallyHidden>{better ? t.up(places) : t.down(places)}</VisuallyHidden>
    </span>
  )
}

const changeFormat = new Intl.NumberFormat(locale, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
})

function Change({ rate }: { rate: number }) {
  return <span className={rate > 0 ? 'better' : rate < 0 ? 'worse' : ''}>{changeFormat.format(rate)}</span>
}

// A fixed number of digits aligns the decimal points.
const decimals = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const score = (value: string) => decimals.format(Number(value))
