import { snapshotsOf } from '../api/snapshots.ts'
import { mayManage } from '../content/rights.ts'
import { SpacePart } from '../content/space-part.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Notice } from '../shell/notice.tsx'
import { content, snapshots as t } from '../texts/index.ts'
import { SnapshotList } from './snapshots.tsx'

/** `/content/spaces/:id/snapshots`: sealed lists of the board and the quests of a space. */
export default function SpaceSnapshotsPage({ params: { id = '' } }: PageProps) {
  return (
    <SpacePart id={id} part="snapshots" title={t.of} lead={t.ofLead}>
      {({ spaceId, standing }) =>
        mayManage(standing) ? <SnapshotList of={snapshotsOf(spaceId)} /> : <Notice title={content.readOnly} />
      }
    </SpacePart>
  )
}
