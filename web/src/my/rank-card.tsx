import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { OwnRank } from '../api/my.ts'
import { accountLabel, isAccountAddress, isPublicAddress } from '../shell/account-address.ts'
import { claim, my } from '../texts/index.ts'
import { NameOnBoards } from './name-on-boards.tsx'
import { rankWeekAgo } from './rank-week-ago.ts'

const texts = my.ranks
/** In a small space, and in the lower half, a percentage says less than the rank. */
const MIN_FOR_SHARE = 20
const MAX_SHARE = 50

interface RankCardProps {
  rank: OwnRank
  /** All addresses of the account on the page. */
  addresses: readonly string[]
}

/** The rank in one space, with its movement. Leads to the member on the board. */
export function RankCard({ rank: own, addresses }: RankCardProps) {
  const { space, address, rank, points, members, days } = own
  const share = Math.ceil((100 * rank) / members)
  const before = rankWeekAgo(days, Date.now())
  return (
    <div className="rank-card">
      <Link href={`/explore/spaces/${space.id}?${new URLSearchParams({ member: address })}`} className="text-link">
        {space.name}
      </Link>
      <div className="rank-card-place">
        <Text component="span" size="xl" fw={700}>
          {texts.rank(rank)}
        </Text>
        <Line ranks={[...days.map((day) => day.rank), rank]} />
      </div>
      <Text size="sm" c="dimmed">
        {texts.of(members)}
        {members >= MIN_FOR_SHARE && share <= MAX_SHARE && ` · ${texts.top(share)}`}
      </Text>
      <div className="rank-card-foot">
        <Text size="sm" fw={500}>
          {texts.points(points)}
        </Text>
        {before !== undefined && before !== rank && <Movement places={before - rank} />}
      </div>
      {isAccountAddress(address) ? (
        <Text size="xs" c="dimmed">
          {accountLabel(claim.yourAccount, address, addresses)}
        </Text>
      ) : (
        <Text size="xs" c="dimmed" className="mono rank-card-address" title={address}>
          {address}
        </Text>
      )}
      <NameOnBoards rank={own} />
      {space.slug !== null && !isPublicAddress(address) && (
        <Text size="xs" c="dimmed">
          {texts.noPage}{' '}
          <Anchor href={`/s/${space.slug}/me`} c="inherit" underline="always" inherit>
            {texts.onBoard}
          </Anchor>
        </Text>
      )}
    </div>
  )
}

function Movement({ places }: { places: number }) {
  return (
    <Text size="sm" className={places > 0 ? 'better' : 'worse'}>
      <span aria-hidden>{places > 0 ? '▲ ' : '▼ '}</span>
      {places > 0 ? texts.up(places) : texts.down(-places)}
    </Text>
  )
}

const WIDTH = 96
const HEIGHT = 28
const MARGIN = 2

/** Rises when the rank gets better. */
function Line({ ranks }: { ranks: number[] }) {
  if (ranks.length < 2) return null
  const best = Math.min(...ranks)
  const span = Math.max(...ranks) - best
  const x = (place: number) => MARGIN + (place / (ranks.length - 1)) * (WIDTH - 2 * MARGIN)
  const y = (rank: number) => (span === 0 ? HEIGHT / 2 : MARGIN + ((rank - best) / span) * (HEIGHT - 2 * MARGIN))
  const points = ranks.map((rank, place) => `${x(place).toFixed(1)},${y(rank).toFixed(1)}`).join(' ')
  return (
    <svg
      className="rank-line"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={texts.line(ranks[0] ?? 0, ranks.at(-1) ?? 0)}
    >
      <polyline points={points} />
    </svg>
  )
}
