import { Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { type EditedSpace, type EffectiveRole, spaceQuery } from '../api/content.ts'
import { sessionQuery } from '../api/session.ts'
import { teamQuery } from '../api/teams.ts'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { content as texts } from '../texts/index.ts'
import { type Part, partNames, SpaceTabs } from './space-tabs.tsx'

interface SpacePartProps {
  /** The ID of the space, from the address of the page. */
  id: string
  part: Part
  /** The name of the tab of the browser. */
  title?: (space: string) => string
  lead?: string
  children: (space: EditedSpace) => ReactNode
}

/** A part of a space, below the heading and the tabs that all parts share. */
export function SpacePart({ id, part, title, lead, children }: SpacePartProps) {
  const space = useQuery(spaceQuery(id))
  if (space.isPending) return <Loading />
  if (isUnreadable(space))
    return <UnreadableContent kind="spaces" error={space.error} retry={() => void space.refetch()} />
  const { spaceId, name, slug, standing } = space.data
  return (
    <PageLayout
      title={
        <>
          {name}
          {part !== 'overview' && <VisuallyHidden>{` – ${partNames[part]}`}</VisuallyHidden>}
        </>
      }
      tab={title?.(name) ?? name}
      lead={<Standing spaceId={spaceId} standing={standing} />}
      actions={
        slug === null ? undefined : (
          <Button component="a" href={`/s/${slug}`} variant="default">
            {texts.space.view}
          </Button>
        )
      }
    >
      <SpaceTabs spaceId={spaceId} standing={standing} current={part} />
      {lead !== undefined && (
        <Text c="dimmed" size="sm">
          {lead}
        </Text>
      )}
      <Fragment key={id}>{children(space.data)}</Fragment>
    </PageLayout>
  )
}

/** The role of the account in the team. Operators have all rights, even without a role. */
function Standing({ spaceId, standing }: { spaceId: number; standing: EffectiveRole }) {
  const { owner, members = [] } = useQuery({ ...teamQuery(spaceId), refetchOnMount: false }).data ?? {}
  const own = useQuery(sessionQuery).data?.account?.id
  const member = members.find(({ account }) => account.id === own)
  const role = own !== undefined && owner?.id === own ? 'owner' : member?.role
  const standings = standing === 'operator' && role !== undefined ? ([role, standing] as const) : [standing]
  return (
    <Group gap="xs" component="span">
      {standings.map((one) => (
        <Badge key={one} component="span" variant="default" tt="none">
          {texts.standings[one]}
        </Badge>
      ))}
    </Group>
  )
}
