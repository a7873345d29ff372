import './explore.css'
import { PageLayout } from '../shell/page-layout.tsx'
import { explore as texts } from '../texts/index.ts'
import { AllEntries } from './entry-list.tsx'

/** `/explore/spaces` */
export default function SpacesPage() {
  return (
    <PageLayout title={texts.kinds.spaces}>
      <AllEntries kind="spaces" />
    </PageLayout>
  )
}
