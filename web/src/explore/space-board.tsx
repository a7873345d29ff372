import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useQuery } from '@tanstack/react-query'
import { sprintsQuery } from '../api/explore.ts'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { usePageParameter } from '../shell/page-parameter.ts'
import { Board } from './board.tsx'
import { Member } from './member.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type SpaceAnswer, spaceRequest } from './requests.ts'
import { usePages } from './use-pages.ts'

interface ShownBoard {
  sprintId: number | undefined
  pages: UseInfiniteQueryResult<InfiniteData<SpaceAnswer>>
}

/** The board of a space that the address of the page names: `?sprint=N` for that of a sprint. */
export function useSpaceBoard(spaceId: string): ShownBoard {
  const [sprint] = usePageParameter('sprint')
  const sprintId = /^\d{1,9}$/.test(sprint) ? Number(sprint) : undefined
  const pages = usePages<SpaceAnswer>(
    ['space', spaceId, sprintId],
    (after?: string) => spaceRequest(spaceId, sprintId, after),
    ({ space }) => space.loyaltyPointsRanks?.pageInfo,
  )
  return { sprintId, pages }
}

/** A board with the choice of the sprint. */
export function SpaceBoard({ spaceId, board: { sprintId, pages } }: { spaceId: string; board: ShownBoard }) {
  const [, setSprint] = usePageParameter('sprint')
  const sprints = useQuery(sprintsQuery(spaceId)).data?.sprints ?? []
  return (
    <>
      {pages.isPending && <Loading />}
      {pages.isLoadingError && <LoadFailure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.data && (
        <Board
          spaceId={spaceId}
          sprintId={sprintId}
          sprints={sprints}
          pages={pages}
          changeSprint={(sprint) => setSprint(sprint === undefined ? '' : String(sprint))}
        />
      )}
      <QueryBehind request={spaceRequest(spaceId, sprintId)} />
    </>
  )
}

/** The member that `?member=ADDRESS` names, with the rank on the board. */
export function ChosenMember({ spaceId, sprintId }: { spaceId: string; sprintId: number | undefined }) {
  const [address, setAddress] = usePageParameter('member')
  if (address === '') return null
  return <Member spaceId={spaceId} sprintId={sprintId} address={address} close={() => setAddress('')} />
}
