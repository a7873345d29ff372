import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { sprintsQuery } from '../api/explore.ts'
import { Loading } from '../shell/loading.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { Unreadable } from '../shell/unreadable.tsx'
import { texts } from '../texts/explore.ts'
import { Board } from './board.tsx'
import { PublicQuests } from './public-quests.tsx'
import { QueryBehind } from './query-behind.tsx'
import { type SpaceAnswer, spaceQuestion } from './questions.ts'
import { usePages } from './use-pages.ts'

/** `/explore/spaces/ID?sprint=N`: a space with its boards and its quests. */
export function SpacePage({ id }: { id: string }) {
  const [search, setSearch] = useSearchParams()
  const sprintId = /^\d{1,9}$/.test(search.get('sprint') ?? '') ? Number(search.get('sprint')) : undefined
  const sprints = useQuery(sprintsQuery(id)).data?.sprints ?? []
  const question = (after?: string) => spaceQuestion(id, sprintId, after)
  const pages = usePages<SpaceAnswer>(
    ['space', id, sprintId],
    question,
    ({ space }) => space.loyaltyPointsRanks?.pageInfo,
  )
  const known = pages.data?.pages[0]?.space
  return (
    <Stack>
      <PageTitle>{known?.name ?? texts.kind.spaces}</PageTitle>
      {known?.description && <Text c="dimmed">{known.description}</Text>}
      {pages.isPending && <Loading />}
      {pages.isLoadingError && <Unreadable error={pages.error} retry={() => void pages.refetch()} />}
      {known && (
        <>
          <Board
            spaceId={id}
            sprintId={sprintId}
            sprints={sprints}
            pages={pages}
            changeSprint={(sprint) => setSearch(sprint === undefined ? {} : { sprint: String(sprint) })}
          />
          <QueryBehind question={question()} />
          <PublicQuests spaceId={id} />
        </>
      )}
    </Stack>
  )
}
