import { Anchor, Text } from '@mantine/core'
import type { OwnRank } from '../api/my.ts'
import { isPublicAddress } from '../shell/account-address.ts'
import { my } from '../texts/index.ts'

const texts = my.ranks

/** The name that a leaderboard shows for an address of the account, as a link to its public page. */
export function NameOnBoards({ rank: { space, address, username } }: { rank: OwnRank }) {
  // Other members have no public page.
  const isPublic = space.slug !== null && isPublicAddress(address)
  return (
    <Text size="sm" className="name-on-boards">
      {texts.shownAs}{' '}
      {isPublic ? (
        <Anchor href={`/m/${space.slug}/${address}`} c="inherit" underline="always" inherit>
          {username}
        </Anchor>
      ) : (
        username
      )}
    </Text>
  )
}
