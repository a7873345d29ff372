import './explore.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { publicPageQuery, sprintsQuery } from '../api/explore.ts'
import { SpaceTabs } from '../content/space-tabs.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Description } from '../shell/description.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { explore as texts } from '../texts/index.ts'
import { Board } from './board.tsx'
import { CommunityLink } from './community-link.tsx'
import { Member } from './member.tsx'
import { PublicPage } from './public-page.tsx'
import { PublicQuests } from './public-quests.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type SpaceAnswer, spaceRequest } from './requests.ts'
import { UnknownId, UnreadablePage } from './unreadable-page.tsx'
import { usePages } from './use-pages.ts'

const MAX_ID = 2_147_483_647

/** `/explore/spaces/ID?sprint=N`: a space with its quests and its boards. */
export default function SpacePage({ params: { id = '' } }: PageProps) {
  // The schema's Int accepts no other text, and would reject it with a technical message.
  return /^[1-9]\d{0,9}$/.test(id) && Number(id) <= MAX_ID ? (
    <KnownSpace key={id} id={id} />
  ) : (
    <UnknownId kind="spaces" />
  )
}

function KnownSpace({ id }: { id: string }) {
  const [search, setSearch] = useSearchParams()
  const sprintId = /^\d{1,9}$/.test(search.get('sprint') ?? '') ? Number(search.get('sprint')) : undefined
  const sprints = useQuery(sprintsQuery(id)).data?.sprints ?? []
  const member = search.get('member') ?? ''
  const question = (after?: string) => spaceRequest(id, sprintId, after)
  /** Changes one parameter of the address; an empty value removes it. */
  const change = (name: string, value: string) =>
    setSearch((now) => {
      if (value === '') now.delete(name)
      else now.set(name, value)
      return now
    })
  const pages = usePages<SpaceAnswer>(
    ['space', id, sprintId],
    question,
    ({ space }) => space.loyaltyPointsRanks?.pageInfo,
  )
  // The tabs are for the team of the space and operators. They would move a board that is shown before them.
  const page = useQuery(publicPageQuery(id))
  const standing = page.data?.standing ?? undefined
  // A failed request is repeated, but the board does not wait for it.
  const ready = !page.isPending || page.failureCount > 0
  const read = pages.data?.pages[0]?.space
  // While the board of another sprint loads, the forms of the page stay.
  const [known, setKnown] = useState(read)
  if (read && read !== known) setKnown(read)
  if (pages.isLoadingError && !known)
    return <UnreadablePage kind="spaces" error={pages.error} retry={() => void pages.refetch()} />
  return (
    <PageLayout title={known?.name ?? texts.kind.spaces} actions={<CommunityLink spaceId={id} />}>
      {standing && <SpaceTabs spaceId={Number(id)} standing={standing} current="leaderboard" />}
      <Description text={known?.description ?? ''} />
      {(!known || !ready) && <Loading />}
      {known && ready && (
        <>
          {member !== '' && (
            <Member spaceId={id} sprintId={sprintId} address={member} close={() => change('member', '')} />
          )}
          <PublicPage spaceId={id} />
          <PublicQuests spaceId={id} />
          {pages.isPending && <Loading />}
          {pages.isLoadingError && <LoadFailure error={pages.error} retry={() => void pages.refetch()} />}
          {read && (
            <Board
              spaceId={id}
              sprintId={sprintId}
              sprints={sprints}
              pages={pages}
              changeSprint={(sprint) => change('sprint', sprint === undefined ? '' : String(sprint))}
            />
          )}
          <QueryBehind question={question()} />
        </>
      )}
    </PageLayout>
  )
}
