import { PageLayout } from '../shell/page-layout.tsx'
import { account as texts } from '../texts/index.ts'
import { SecurityLog } from './security-log.tsx'
import { Sessions } from './sessions.tsx'

/** `/account/security`: sessions, and events of the account. */
export default function SecurityPage() {
  return (
    <PageLayout title={texts.security.title}>
      <Sessions />
      <SecurityLog />
    </PageLayout>
  )
}
