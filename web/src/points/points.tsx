import { useQuery } from '@tanstack/react-query'
import { type EditedSpace, spaceQuery } from '../api/content.ts'
import { mayManage } from '../content/rights.ts'
import { SpaceLink } from '../content/space-link.tsx'
import { SpaceTabs } from '../content/space-tabs.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import { points as texts } from '../texts/index.ts'
import { AwardForm } from './award-form.tsx'
import { Ledger } from './ledger.tsx'

/** `/content/spaces/:id/points`: the ledger of a space, awards and corrections. */
export default function PointsPage({ params: { id = '' } }: PageProps) {
  const space = useQuery(spaceQuery(id))
  if (space.isPending) return <Loading />
  if (isUnreadable(space))
    return <UnreadableContent kind="spaces" error={space.error} retry={() => void space.refetch()} />
  return <Points space={space.data} />
}

function Points({ space: { spaceId, name, standing } }: { space: EditedSpace }) {
  return (
    <PageLayout title={texts.of(name)} lead={texts.lead} parent={<SpaceLink spaceId={spaceId} />}>
      <SpaceTabs spaceId={spaceId} standing={standing} current="points" />
      {mayManage(standing) ? (
        <>
          <AwardForm spaceId={spaceId} />
          <Ledger spaceId={spaceId} />
        </>
      ) : (
        <Notice title={texts.managersOnly} />
      )}
    </PageLayout>
  )
}
