import { useQueries } from '@tanstack/react-query'
import { credentialsQuery, type EditedSpace, questsQuery, sprintsQuery } from '../api/content.ts'
import { teamQuery } from '../api/teams.ts'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { content as texts } from '../texts/index.ts'
import { Credentials } from './credentials.tsx'
import { FirstSteps, useFirstSteps } from './first-steps.tsx'
import { Quests } from './quests.tsx'
import { mayEdit } from './rights.ts'
import { SpacePart } from './space-part.tsx'
import { Sprints } from './sprints.tsx'

/** `/content/spaces/:id`: a space with its quests, credentials and sprints. */
export default function SpacePage({ params: { id = '' } }: PageProps) {
  return (
    <SpacePart id={id} part="overview">
      {(space) => <Overview space={space} />}
    </SpacePart>
  )
}

function Overview({ space }: { space: EditedSpace }) {
  const { spaceId, standing } = space
  // All lists appear together, because each list that arrives later would move those below it.
  const lists = useQueries({
    queries: [questsQuery(spaceId), credentialsQuery(spaceId), sprintsQuery(spaceId), teamQuery(spaceId)],
  })
  const first = useFirstSteps(space)
  if (lists.some((list) => list.isPending)) return <Loading />
  return (
    <>
      {!mayEdit(standing) && <Notice title={texts.readOnly} />}
      {first && <FirstSteps {...first} />}
      <Quests spaceId={spaceId} editable={mayEdit(standing)} hideEmpty={first !== undefined} />
      <Credentials spaceId={spaceId} editable={mayEdit(standing)} hideEmpty={first !== undefined} />
      <Sprints spaceId={spaceId} standing={standing} />
    </>
  )
}
