import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { profileQuery, saveProfile } from '../api/account.ts'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { my, shell } from '../texts/index.ts'

/** The name that the service gives to a new account. */
const GIVEN = /^user-[0-9a-f]+$/
/** On the page of the account: the field for the name has the focus, and the name is to be shown. */
export const SHOW_NAME = 'show-name'

/** If leaderboards show a code for the account: shows its name there, or leads to the field to choose one. */
export function ShowName() {
  const profile = useQuery(profileQuery).data
  const show = useMutation({ mutationFn: () => saveProfile({ isPublic: true }), onSuccess: () => toast(shell.saved) })
  if (!profile || profile.isPublic) return null
  return (
    <>
      {GIVEN.test(profile.username) ? (
        <Button component={Link} href={`/account#${SHOW_NAME}`} variant="default" size="xs">
          {my.ranks.chooseName}
        </Button>
      ) : (
        <Button variant="default" size="xs" loading={show.isPending} onClick={() => show.mutate()}>
          {my.ranks.showName(profile.username)}
        </Button>
      )}
      <Fault error={show.error} />
    </>
  )
}
