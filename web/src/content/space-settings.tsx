import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { changeSpace, type EditedSpace, type SpaceForm as SpaceFields, spaceQuery } from '../api/content.ts'
import { publicPageQuery } from '../api/explore.ts'
import { teamQuery } from '../api/teams.ts'
import type { PageProps } from '../navigation/page.ts'
import { leadTo } from '../shell/lead-to.ts'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { Team } from '../teams/team.tsx'
import { content as texts, shell } from '../texts/index.ts'
import { DeleteSpace } from './delete-space.tsx'
import { ExportSpace } from './export-space.tsx'
import { PublicPage } from './public-page.tsx'
import { mayDelete, mayManage } from './rights.ts'
import { SpaceForm } from './space-form.tsx'
import { SpaceLogo } from './space-logo.tsx'
import { SpacePart } from './space-part.tsx'
import { type Edited, useEdited } from './use-edited.ts'

const t = texts.space

/** `/content/spaces/:id/settings`: the team of a space, its public page, name and logo. */
export default function SpaceSettingsPage({ params: { id = '' } }: PageProps) {
  return (
    <SpacePart id={id} part="settings" title={t.settingsOf}>
      {(space) => <Settings space={space} />}
    </SpacePart>
  )
}

function Settings({ space }: { space: EditedSpace }) {
  const { spaceId, standing } = space
  // Both appear together, because each that arrives later would move the sections below it.
  const parts = useQueries({ queries: [teamQuery(spaceId), publicPageQuery(String(spaceId))] })
  if (parts.some((part) => part.isPending)) return <Loading />
  return (
    <>
      {mayManage(standing) ? <Managed space={space} /> : <Team spaceId={spaceId} standing={standing} />}
      {mayDelete(standing) && <DeleteSpace space={space} />}
      <NamedPlace />
    </>
  )
}

/** Leads to the field that the address of the page names. */
function NamedPlace() {
  useEffect(() => {
    const place = location.hash.slice(1)
    if (place !== '') leadTo(document.getElementById(place))
  }, [])
  return null
}

function Managed({ space }: { space: EditedSpace }) {
  const { spaceId, standing } = space
  const { refetch } = useQuery({ ...spaceQuery(String(spaceId)), refetchOnMount: false })
  const edited = useEdited(space, refetch)
  return (
    <>
      <NameAndLogo space={space} edited={edited} />
      <Team spaceId={spaceId} standing={standing} />
      <PublicPage spaceId={spaceId} edited={edited} />
      {standing === 'operator' && <ExportSpace space={space} />}
    </>
  )
}

function NameAndLogo({ space, edited }: { space: EditedSpace; edited: Edited<EditedSpace> }) {
  const { spaceId } = space
  const { saved, version, start, reload } = edited
  const save = useMutation({
    mutationFn: (form: Partial<SpaceFields>) => changeSpace(spaceId, { ...form, version }),
    onSuccess: (changed) => {
      start(changed)
      toast(texts.saved)
    },
  })
  return (
    <Section title={t.nameAndLogo}>
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
    </Section>
  )
}
