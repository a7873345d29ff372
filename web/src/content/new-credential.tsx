import { useMutation } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { createCredential, type CredentialForm as Form } from '../api/content.ts'
import type { PageProps } from '../navigation/page.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { content as texts } from '../texts/index.ts'
import { CredentialForm } from './credential-form.tsx'
import { SpaceLink } from './space-link.tsx'

const empty: Form = {
  name: '',
  description: '',
  credType: 'EVM_ADDRESS',
  credSource: 'CSV',
  chain: null,
  referenceLink: '',
}

/** `/content/spaces/:id/new-credential` */
export default function NewCredentialPage({ params: { id = '' } }: PageProps) {
  const [, navigate] = useLocation()
  const spaceId = Number(id)
  const create = useMutation({
    mutationFn: ({ form }: { form: Form; verifiedBy: string }) => createCredential(spaceId, form),
    onSuccess: (credential, { verifiedBy }) => {
      toast(texts.created(credential.name))
      forgetUnsaved()
      navigate(`/content/credentials/${credential.id}?source=${verifiedBy}`)
    },
  })
  return (
    <PageLayout title={texts.credential.new} parent={<SpaceLink spaceId={spaceId} />}>
      <CredentialForm
        saved={empty}
        verifiedBy=""
        action={texts.create}
        actionWithSource={texts.credential.createWithSource}
        pending={create.isPending}
        error={create.error}
        save={(form, verifiedBy) => create.mutate({ form, verifiedBy })}
      />
    </PageLayout>
  )
}
