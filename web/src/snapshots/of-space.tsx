import { useQuery } from '@tanstack/react-query'
import { spaceQuery } from '../api/content.ts'
import { snapshotsOf } from '../api/snapshots.ts'
import { mayManage } from '../content/rights.ts'
import { SpaceLink } from '../content/space-link.tsx'
import { SpaceTabs } from '../content/space-tabs.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import { content, snapshots as t } from '../texts/index.ts'
import { SnapshotList } from './snapshots.tsx'

/** `/content/spaces/:id/snapshots`: sealed lists of the board and the quests of a space. */
export default function SpaceSnapshotsPage({ params: { id = '' } }: PageProps) {
  const space = useQuery(spaceQuery(id))
  if (space.isPending) return <Loading />
  if (isUnreadable(space))
    return <UnreadableContent kind="spaces" error={space.error} retry={() => void space.refetch()} />
  const { spaceId, name, standing } = space.data
  return (
    <PageLayout title={t.of(name)} lead={t.ofLead} parent={<SpaceLink spaceId={spaceId} />}>
      <SpaceTabs spaceId={spaceId} standing={standing} current="snapshots" />
      {mayManage(standing) ? <SnapshotList of={snapshotsOf(spaceId)} /> : <Notice title={content.readOnly} />}
    </PageLayout>
  )
}
