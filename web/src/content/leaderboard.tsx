import '../explore/explore.css'
import { useQuery } from '@tanstack/react-query'
import { spaceQuery } from '../api/content.ts'
import { ChosenMember, SpaceBoard, useSpaceBoard } from '../explore/space-board.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { content } from '../texts/index.ts'
import { FindMember } from './find-member.tsx'
import { mayManage } from './rights.ts'
import { SpaceLink } from './space-link.tsx'
import { SpaceTabs } from './space-tabs.tsx'

/** `/content/spaces/:id/leaderboard?sprint=N`: the boards of a space. */
export default function LeaderboardPage({ params: { id = '' } }: PageProps) {
  const space = useQuery(spaceQuery(id))
  const board = useSpaceBoard(id)
  if (space.isPending) return <Loading />
  if (isUnreadable(space))
    return <UnreadableContent kind="spaces" error={space.error} retry={() => void space.refetch()} />
  const { spaceId, name, standing } = space.data
  return (
    <PageLayout title={content.space.boardOf(name)} parent={<SpaceLink spaceId={spaceId} />}>
      <SpaceTabs spaceId={spaceId} standing={standing} current="leaderboard" />
      {mayManage(standing) && <FindMember spaceId={spaceId} />}
      <ChosenMember spaceId={id} sprintId={board.sprintId} />
      <SpaceBoard spaceId={id} board={board} />
    </PageLayout>
  )
}
