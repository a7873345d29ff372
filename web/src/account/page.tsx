import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'
import { NotHere } from '../shell/not-found.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { account as texts } from '../texts/index.ts'
import { AuthorizedApps } from './authorized-apps.tsx'
import { Identities } from './identities.tsx'
import { MergeAccounts } from './merge-accounts.tsx'
import { ProfileForm } from './profile-form.tsx'
import { SecurityLog } from './security-log.tsx'
import { Sessions } from './sessions.tsx'
import { YourData } from './your-data.tsx'

/** `/account`, `/account/apps`, `/account/security`: the pages of the signed-in user. */
export default function AccountPage({ section }: { section: string | undefined }) {
  const account = useQuery(sessionQuery).data?.account
  if (!account) return null
  switch (section) {
    case undefined:
      return (
        <Stack>
          <PageTitle>{texts.title}</PageTitle>
          <Identities account={account} />
          <MergeAccounts />
          <ProfileForm />
          <YourData account={account} />
        </Stack>
      )
    case 'apps':
      return (
        <Stack>
          <PageTitle>{texts.apps.title}</PageTitle>
          <AuthorizedApps />
        </Stack>
      )
    case 'security':
      return (
        <Stack>
          <PageTitle>{texts.security.title}</PageTitle>
          <Sessions />
          <SecurityLog />
        </Stack>
      )
    default:
      return <NotHere />
  }
}
