import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import {
  changeStarboard,
  deleteStarboard,
  editedStarboardQuery,
  type EditedStarboard,
  type StarboardForm as Form,
} from '../api/starboards.ts'
import type { PageProps } from '../navigation/page.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { isUnreadable, UnreadablePage } from '../explore/unreadable-page.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts, shell } from '../texts/index.ts'
import { DeleteButton } from './delete-button.tsx'
import { StarboardForm } from './starboard-form.tsx'
import { useEdited } from './use-edited.ts'

const t = texts.starboard

/** `/content/starboards/:id`: edits and deletes a starboard. */
export default function StarboardPage({ params: { id = '' } }: PageProps) {
  const starboard = useQuery(editedStarboardQuery(id))
  if (starboard.isPending) return <Loading />
  if (isUnreadable(starboard))
    return <UnreadablePage kind="starboards" error={starboard.error} retry={() => void starboard.refetch()} />
  return <Starboard key={id} starboard={starboard.data} readAgain={starboard.refetch} />
}

interface StarboardProps {
  starboard: EditedStarboard
  readAgain: () => Promise<{ data: EditedStarboard | undefined }>
}

function Starboard({ starboard, readAgain }: StarboardProps) {
  const { id, name } = starboard
  const { saved, version, start, reload } = useEdited(starboard, readAgain)
  const [, navigate] = useLocation()
  const save = useMutation({
    mutationFn: (form: Form) => changeStarboard(id, { ...form, version }),
    onSuccess: (changed) => {
      start(changed)
      toast(texts.saved)
    },
  })
  const remove = useMutation({
    mutationFn: () => deleteStarboard(id),
    onSuccess: () => {
      toast(texts.deleted(name))
      forgetUnsaved()
      navigate('/explore/starboards')
    },
  })
  const view = (
    <Button component={Link} href={`/explore/starboards/${encodeURIComponent(id)}`} variant="default">
      {texts.view}
    </Button>
  )
  return (
    <PageLayout title={name} lead={texts.id(id)} actions={view}>
      <StarboardForm
        key={saved.version}
        isNew={false}
        saved={formOf(saved)}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        save={(form) => save.mutate(form)}
        reload={() => reload(save)}
      >
        <DeleteButton name={name} question={t.question} remove={remove} />
      </StarboardForm>
      <Fault error={remove.error} />
    </PageLayout>
  )
}

/** The fields that the form changes. */
function formOf(starboard: EditedStarboard): Form {
  const { name, projectName, description, tags, type } = starboard
  const { rewardName, rewardDescription, rewardStartTime, rewardEndTime } = starboard
  return { name, projectName, description, tags, type, rewardName, rewardDescription, rewardStartTime, rewardEndTime }
}
