import './explore.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { publicPageQuery } from '../api/explore.ts'
import type { PageProps } from '../navigation/page.ts'
import { Description } from '../shell/description.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { content, explore as texts } from '../texts/index.ts'
import { CommunityLink } from './community-link.tsx'
import { QuestsOfSpace } from './public-quests.tsx'
import { ChosenMember, SpaceBoard, useSpaceBoard } from './space-board.tsx'
import { UnknownId, UnreadablePage } from './unreadable-page.tsx'

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
  const board = useSpaceBoard(id)
  const { pages, sprintId } = board
  const read = pages.data?.pages[0]?.space
  // While the board of another sprint loads, the rest of the page stays.
  const [known, setKnown] = useState(read)
  if (read && read !== known) setKnown(read)
  if (pages.isLoadingError && !known)
    return <UnreadablePage kind="spaces" error={pages.error} retry={() => void pages.refetch()} />
  return (
    <PageLayout
      title={known?.name ?? texts.kind.spaces}
      actions={
        <>
          <EditorLink spaceId={id} />
          <CommunityLink spaceId={id} />
        </>
      }
    >
      {known ? (
        <>
          <Description text={known.description ?? ''} />
          <ChosenMember spaceId={id} sprintId={sprintId} />
          <QuestsOfSpace spaceId={id} />
          <SpaceBoard spaceId={id} board={board} />
        </>
      ) : (
        <Loading />
      )}
    </PageLayout>
  )
}

/** Leads the team of the space and operators to its editor. */
function EditorLink({ spaceId }: { spaceId: string }) {
  const standing = useQuery(publicPageQuery(spaceId)).data?.standing ?? null
  if (standing === null) return null
  return (
    <Button component={Link} href={`/content/spaces/${spaceId}`} variant="default">
      {content.edit}
    </Button>
  )
}
