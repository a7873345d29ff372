import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SHORT_ID } from '../../../server/src/addresses/short-id.ts'
import { type BanSubject, banSubjectQuery, type Subject } from '../api/bans.ts'
import { Fault } from '../shell/fault.tsx'
import { bans as t } from '../texts/operator-pages.ts'

const MAX_NAMES = 5

interface BanBoardsProps {
  of: Subject
  /** Selects the account whose username was entered as an address. */
  chooseAccount: (id: string) => void
}

/** The spaces in which the account or address has points, so that a typing error is noticed. */
export function BanBoards({ of, chooseAccount }: BanBoardsProps) {
  const found = useQuery(banSubjectQuery(of))
  if (found.isPending) return null
  if (found.isError) return <Fault error={found.error} labels={{ account: t.account, address: t.address }} />
  const { accountOfName } = found.data
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {describe(of, found.data)}
      </Text>
      {accountOfName !== null && (
        <div>
          <Button size="xs" variant="default" onClick={() => chooseAccount(accountOfName.id)}>
            {t.chooseAccount}
          </Button>
        </div>
      )}
    </>
  )
}

function describe(of: Subject, { addresses, boards, accountOfName }: BanSubject): string {
  const names = boards.slice(0, MAX_NAMES).map(({ spaceId, name }) => `${name} (${spaceId})`)
  const list = [...names, ...(boards.length > MAX_NAMES ? ['…'] : [])].join(', ')
  const onBoards = boards.length === 0 ? undefined : t.onBoards(boards.length, list)
  if ('account' in of) return `${t.covers(addresses.length)} ${onBoards ?? t.onNoBoard}`
  // A handle on a board can have the text of a username.
  if (accountOfName !== null) return [onBoards, t.isUsername(accountOfName.username)].join(' ').trim()
  return onBoards ?? (SHORT_ID.test(of.address) ? t.isShortId : t.onNoBoard)
}
