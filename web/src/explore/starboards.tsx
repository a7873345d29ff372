import './explore.css'
import { PageLayout } from '../shell/page-layout.tsx'
import { explore as texts } from '../texts/index.ts'
import { AllEntries } from './entry-list.tsx'

/** `/explore/starboards` */
export default function StarboardsPage() {
  return (
    <PageLayout title={texts.kinds.starboards}>
      <AllEntries kind="starboards" />
    </PageLayout>
  )
}
