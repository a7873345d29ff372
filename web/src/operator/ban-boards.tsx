import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SHORT_ID } from '../../../server/src/addresses/short-id.ts'
import { banSubjectQuery, type Subject } from '../api/bans.ts'
import { bans as t } from '../texts/operator-pages.ts'

const MAX_NAMES = 5

/** The spaces in which the account or address has points, so that a typing error is noticed. */
export function BanBoards({ of }: { of: Subject }) {
  const found = useQuery(banSubjectQuery(of))
  if (found.isPending) return null
  if (found.isError)
    return (
      <Text size="sm" className="bad" role="status">
        {found.error.message}
      </Text>
    )
  const { addresses, boards } = found.data
  const names = boards.slice(0, MAX_NAMES).map(({ spaceId, name }) => `${name} (${spaceId})`)
  return (
    <Text size="sm" c="dimmed" role="status">
      {'account' in of && `${t.covers(addresses.length)} `}
      {boards.length === 0
        ? 'address' in of && SHORT_ID.test(of.address)
          ? t.isShortId
          : t.onNoBoard
        : t.onBoards(boards.length, [...names, ...(boards.length > MAX_NAMES ? ['…'] : [])].join(', '))}
    </Text>
  )
}
