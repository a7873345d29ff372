import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { account as texts } from '../texts/index.ts'
import { Identities } from './identities.tsx'
import { MergeAccounts } from './merge-accounts.tsx'
import { ProfileForm } from './profile-form.tsx'
import { YourData } from './your-data.tsx'

/** `/account`: identities, profile and data of the signed-in user. */
export default function AccountPage() {
  const account = useQuery(sessionQuery).data?.account
  if (!account) return null
  return (
    <PageLayout title={texts.title}>
      <Identities account={account} />
      <MergeAccounts />
      <ProfileForm />
      <YourData account={account} />
    </PageLayout>
  )
}
