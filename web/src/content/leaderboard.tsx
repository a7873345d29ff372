import '../explore/explore.css'
import { ChosenMember, SpaceBoard, useSpaceBoard } from '../explore/space-board.tsx'
import type { PageProps } from '../navigation/page.ts'
import { content } from '../texts/index.ts'
import { FindMember } from './find-member.tsx'
import { mayManage } from './rights.ts'
import { SpacePart } from './space-part.tsx'

/** `/content/spaces/:id/leaderboard?sprint=N`: the boards of a space. */
export default function LeaderboardPage({ params: { id = '' } }: PageProps) {
  const board = useSpaceBoard(id)
  return (
    <SpacePart id={id} part="leaderboard" title={content.space.boardOf}>
      {({ spaceId, standing }) => (
        <>
          {mayManage(standing) && <FindMember spaceId={spaceId} />}
          <ChosenMember spaceId={id} sprintId={board.sprintId} />
          <SpaceBoard spaceId={id} board={board} />
        </>
      )}
    </SpacePart>
  )
}
