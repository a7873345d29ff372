import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { createQuest, type QuestForm as Form } from '../api/content.ts'
import type { PageProps } from '../navigation/page.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { content as texts } from '../texts/index.ts'
import { QuestForm } from './quest-form.tsx'
import { SpaceLink } from './space-link.tsx'

const t = texts.quest
const empty: Form = {
  name: '',
  description: '',
  type: 'Points',
  startTime: null,
  endTime: null,
  cap: 0,
  loyaltyPoints: 0,
  gasType: 'Gasless',
  chain: null,
  isPrivate: false,
  credentialGroups: [],
}

/** `/content/spaces/:id/new-quest`: creates a draft. */
export default function NewQuestPage({ params: { id = '' } }: PageProps) {
  const [, navigate] = useLocation()
  const spaceId = Number(id)
  const create = useMutation({
    mutationFn: (form: Form) => createQuest(spaceId, form),
    onSuccess: (quest) => {
      toast(texts.created(quest.name))
      forgetUnsaved()
      navigate(`/content/quests/${encodeURIComponent(quest.id)}`)
    },
  })
  return (
    <PageLayout title={t.new} parent={<SpaceLink spaceId={spaceId} />}>
      <QuestForm
        spaceId={spaceId}
        saved={empty}
        action={t.saveDraft}
        pending={create.isPending}
        error={create.error}
        save={(form) => create.mutate(form)}
      />
    </PageLayout>
  )
}
