import { useLocation } from 'wouter'
import { createStarboard, type StarboardForm as Form } from '../api/starboards.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'
import { StarboardForm } from './starboard-form.tsx'

const empty: Form = {
  name: '',
  projectName: '',
  description: '',
  tags: [],
  type: 'TWITTER',
  rewardName: null,
  rewardDescription: null,
  rewardStartTime: null,
  rewardEndTime: null,
}

/** `/content/new-starboard` */
export default function NewStarboardPage() {
  const [, navigate] = useLocation()
  const create = useMutation({
    mutationFn: ({ id, form }: { id: string; form: Form }) => createStarboard(id, form),
    onSuccess: ({ id, name }) => {
      toast(texts.created(name))
      forgetUnsaved()
      navigate(`/explore/starboards/${encodeURIComponent(id)}`)
    },
  })
  return (
    <PageLayout title={texts.starboard.new} lead={texts.starboard.lead}>
      <StarboardForm
        isNew
        saved={empty}
        action={texts.create}
        pending={create.isPending}
        error={create.error}
        save={(form, id) => create.mutate({ form, id })}
      />
    </PageLayout>
  )
}
