import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { sessionQuery } from '../api/session.ts'
import { bans as t } from '../texts/operator-pages.ts'

/** Leads operators from a member of a board to the form that bans it. Boards do not show the address of a member in full. */
export function BanLink({ spaceId, address }: { spaceId: string; address: string }) {
  const isOperator = useQuery(sessionQuery).data?.account?.operator === true
  if (!isOperator) return null
  return (
    <Text size="sm">
      <Link href={`/operator/bans?${new URLSearchParams({ address, space: spaceId })}`} className="text-link">
        {t.banMember}
      </Link>
    </Text>
  )
}
