import './explore.css'
import { PageLayout } from '../shell/page-layout.tsx'
import { explore as texts } from '../texts/index.ts'
import { PublicQuests } from './public-quests.tsx'

/** `/explore/quests` */
export default function QuestsPage() {
  return (
    <PageLayout title={texts.kinds.quests}>
      <PublicQuests />
    </PageLayout>
  )
}
