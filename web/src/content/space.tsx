import { Badge, Button, Group } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import {
  changeSpace,
  credentialsQuery,
  type EditedSpace,
  type EffectiveRole,
  questsQuery,
  type SpaceForm as SpaceFields,
  spaceQuery,
  sprintsQuery,
} from '../api/content.ts'
import { publicPageQuery } from '../api/explore.ts'
import { sessionQuery } from '../api/session.ts'
import { teamQuery } from '../api/teams.ts'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { Team } from '../teams/team.tsx'
import { content as texts, shell } from '../texts/index.ts'
import { Credentials } from './credentials.tsx'
import { DeleteSpace } from './delete-space.tsx'
import { ExportSpace } from './export-space.tsx'
import { FirstSteps, useFirstSteps } from './first-steps.tsx'
import { PublicPage } from './public-page.tsx'
import { Quests } from './quests.tsx'
import { mayDelete, mayEdit, mayManage } from './rights.ts'
import { SpaceTabs } from './space-tabs.tsx'
import { SpaceForm } from './space-form.tsx'
import { SpaceLogo } from './space-logo.tsx'
import { Sprints } from './sprints.tsx'
import { type Edited, useEdited } from './use-edited.ts'

const t = texts.space

/** `/content/spaces/:id`: a space with its sprints, quests and credentials. */
export default function SpacePage({ params: { id = '' } }: PageProps) {
  const space = useQuery(spaceQuery(id))
  const spaceId = Number(id)
  // The page appears with all lists, because each list that arrives later would move those below it.
  const lists = useQueries({
    queries: [
      questsQuery(spaceId),
      credentialsQuery(spaceId),
      sprintsQuery(spaceId),
      teamQuery(spaceId),
      publicPageQuery(id),
    ],
  })
  if (isUnreadable(space))
    return <UnreadableContent kind="spaces" error={space.error} retry={() => void space.refetch()} />
  if (space.isPending || lists.some((list) => list.isPending)) return <Loading />
  return <Space key={id} space={space.data} readAgain={space.refetch} />
}

interface SpaceProps {
  space: EditedSpace
  readAgain: () => Promise<{ data: EditedSpace | undefined }>
}

function Space({ space, readAgain }: SpaceProps) {
  const { spaceId, name, slug, standing } = space
  const edited = useEdited(space, readAgain)
  const first = useFirstSteps(space)
  return (
    <PageLayout
      title={name}
      lead={<Standing spaceId={spaceId} standing={standing} />}
      actions={
        slug === null ? undefined : (
          <Button component="a" href={`/s/${slug}`} variant="default">
            {t.view}
          </Button>
        )
      }
    >
      <SpaceTabs spaceId={spaceId} standing={standing} current="overview" />
      {!mayEdit(standing) && <Notice title={texts.readOnly} />}
      {first && <FirstSteps {...first} />}
      <Quests spaceId={spaceId} editable={mayEdit(standing)} hideEmpty={first !== undefined} />
      <Credentials spaceId={spaceId} editable={mayEdit(standing)} hideEmpty={first !== undefined} />
      <Sprints spaceId={spaceId} standing={standing} />
      <Team spaceId={spaceId} standing={standing} />
      {mayManage(standing) && (
        <>
          <PublicPage spaceId={spaceId} edited={edited} />
          <Settings space={space} edited={edited} />
        </>
      )}
      {mayDelete(standing) && <DeleteSpace space={space} />}
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

function Settings({ space, edited }: { space: EditedSpace; edited: Edited<EditedSpace> }) {
  const { spaceId, standing } = space
  const { saved, version, start, reload } = edited
  const save = useMutation({
    mutationFn: (form: Partial<SpaceFields>) => changeSpace(spaceId, { ...form, version }),
    onSuccess: (changed) => {
      start(changed)
      toast(texts.saved)
    },
  })
  return (
    <Section title={t.settings}>
      <SpaceLogo space={space} />
      <SpaceForm
        key={saved.version}
        saved={{ name: saved.name, description: saved.description }}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        save={(form) => save.mutate(form)}
        reload={() => reload(save)}
      />
      {standing === 'operator' && <ExportSpace space={space} />}
    </Section>
  )
}
