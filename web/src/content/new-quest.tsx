import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { createQuest, type QuestForm as Form, spaceQuery } from '../api/content.ts'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { useParameters } from '../shell/page-parameter.ts'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
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

/** A quest whose only condition is a credential, from the page of the credential. */
const withCredential = (credentialId: string): Form => ({
  ...empty,
  credentialGroups: [
    { id: '1', name: '', conditionRelation: 'ALL', conditions: [{ expression: '', credentialId }], rewards: [] },
  ],
})

/** `/content/spaces/:id/new-quest`: creates a draft. `credential` is the ID of its first condition. */
export default function NewQuestPage({ params: { id = '' } }: PageProps) {
  const [, navigate] = useLocation()
  const spaceId = Number(id)
  const space = useQuery(spaceQuery(id))
  const credentialId = useParameters().get('credential') ?? ''
  const [saved] = useState(/^\d{1,19}$/.test(credentialId) ? withCredential(credentialId) : empty)
  const create = useMutation({
    mutationFn: (form: Form) => createQuest(spaceId, form),
    onSuccess: (quest) => {
      toast(texts.created(quest.name))
      forgetUnsaved()
      navigate(`/content/quests/${encodeURIComponent(quest.id)}`)
    },
  })
  if (space.isPending) return <Loading />
  if (isUnreadable(space))
    return <UnreadableContent kind="spaces" error={space.error} retry={() => void space.refetch()} />
  return (
    <PageLayout title={t.new} parent={<SpaceLink spaceId={spaceId} />}>
      <QuestForm
        spaceId={spaceId}
        saved={saved}
        action={t.saveDraft}
        pending={create.isPending}
        error={create.error}
        save={(form) => create.mutate(form)}
      />
    </PageLayout>
  )
}
