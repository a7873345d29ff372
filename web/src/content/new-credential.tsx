import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import {
  changeCredential,
  createCredential,
  type CredentialForm as Form,
  type EditedCredential,
  spaceQuery,
} from '../api/content.ts'
import { kindsQuery } from '../api/sources.ts'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import type { PageProps } from '../navigation/page.ts'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved, FormPart, mayClose, useFormPart } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'
import { type CredentialDraft, CredentialForm } from './credential-form.tsx'
import { NewList } from './new-list.tsx'
import { NewSource } from './new-source.tsx'
import { SpaceLink } from './space-link.tsx'

const empty: Form = {
  name: '',
  description: '',
  credType: 'EVM_ADDRESS',
  credSource: 'CSV',
  chain: null,
  referenceLink: '',
}

/** Stores what fills a credential. @returns whether it is stored */
export type Fill = (credentialId: string) => Promise<boolean>

/** `/content/spaces/:id/new-credential`: one button stores the credential with its list or its source. */
export default function NewCredentialPage({ params: { id = '' } }: PageProps) {
  const [, navigate] = useLocation()
  const spaceId = Number(id)
  const space = useQuery(spaceQuery(id))
  const part = useFormPart()
  const [{ form, verifiedBy }, setDraft] = useState<CredentialDraft>({ form: empty, verifiedBy: '' })
  /** After a refused source or list, the next attempt changes the credential that exists. */
  const [created, setCreated] = useState<EditedCredential>()
  /** Whether the credential, or its source or list, is being saved. */
  const [creating, setCreating] = useState(false)
  const kinds = useQuery(kindsQuery).data ?? []
  const kind = kinds.find((one) => one.kind === verifiedBy)
  const store = useMutation({
    mutationFn: () => {
      const wanted = { ...form, referenceLink: form.referenceLink.trim() }
      return created
        ? changeCredential(created.id, { ...wanted, version: created.version })
        : createCredential(spaceId, wanted)
    },
    onSuccess: setCreated,
  })
  const create = async (fill: Fill) => {
    setCreating(true)
    try {
      // The form of the credential shows its own errors.
      const credential = await store.mutateAsync().catch(() => undefined)
      if (!credential || !(await fill(credential.id))) return
      toast(texts.created(credential.name))
      forgetUnsaved()
      navigate(`/content/credentials/${credential.id}`)
    } finally {
      setCreating(false)
    }
  }
  if (space.isPending) return <Loading />
  if (isUnreadable(space))
    return <UnreadableContent kind="spaces" error={space.error} retry={() => void space.refetch()} />
  return (
    <PageLayout title={texts.credential.new} parent={<SpaceLink spaceId={spaceId} />}>
      <CredentialForm
        saved={empty}
        verifiedBy=""
        {...(verifiedBy === '' && { action: texts.create })}
        pending={store.isPending}
        error={store.error}
        onDraft={setDraft}
        mayChoose={() => mayClose(part, texts.credential.restartsFilling)}
      />
      {created && !creating && <Notice kind="warning" title={texts.credential.createdFirst} />}
      <FormPart value={part}>
        {verifiedBy !== '' &&
          (kind === undefined ? (
            <NewList key={verifiedBy} create={create} />
          ) : (
            <NewSource key={verifiedBy} create={create} kind={kind} spaceId={spaceId} credType={form.credType} />
          ))}
      </FormPart>
    </PageLayout>
  )
}
