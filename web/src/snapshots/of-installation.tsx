import { snapshotsOf } from '../api/snapshots.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { snapshots as t } from '../texts/index.ts'
import { SnapshotList } from './snapshots.tsx'

/** `/operator/snapshots` */
export default function InstallationSnapshotsPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <SnapshotList of={snapshotsOf(null)} />
    </PageLayout>
  )
}
