import './explore.css'
import { PageLayout } from '../shell/page-layout.tsx'
import { explore as texts } from '../texts/index.ts'
import { AllEntries } from './entry-list.tsx'

/** `/explore/credentials` */
export default function CredentialsPage() {
  return (
    <PageLayout title={texts.kinds.credentials}>
      <AllEntries kind="credentials" />
    </PageLayout>
  )
}
