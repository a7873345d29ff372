import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import {
  changeCredential,
  type CredentialForm as Form,
  credentialQuery,
  deleteCredential,
  type EditedCredential,
} from '../api/content.ts'
import type { PageProps } from '../navigation/page.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { forgetUnsaved, mayClose, FormPart, useFormPart } from '../shell/unsaved.ts'
import { content as texts, shell } from '../texts/index.ts'
import { isActKind } from './act-source.tsx'
import { CredentialForm } from './credential-form.tsx'
import { MissingSource } from './missing-source.tsx'
import { SourceSection } from './source-section.tsx'
import { SpaceLink } from './space-link.tsx'
import { useEdited } from './use-edited.ts'

const t = texts.credential

/** `/content/credentials/:id`: edits and deletes a credential. */
export default function CredentialPage({ params: { id = '' } }: PageProps) {
  const credential = useQuery(credentialQuery(id))
  if (credential.isPending) return <Loading />
  if (credential.isError) return <LoadFailure error={credential.error} retry={() => void credential.refetch()} />
  return <Credential key={id} credential={credential.data} readAgain={credential.refetch} />
}

interface CredentialProps {
  credential: EditedCredential
  readAgain: () => Promise<{ data: EditedCredential | undefined }>
}

function Credential({ credential, readAgain }: CredentialProps) {
  const { id, name, curatorSpaceId, itemCount } = credential
  const search = useSearch()
  const { saved, version, start, reload } = useEdited(credential, readAgain)
  const [, navigate] = useLocation()
  const [wanted, setWanted] = useState(new URLSearchParams(search).get('source') ?? credential.credSource)
  const kind = saved.sourceKind ?? wanted
  const source = useFormPart()
  const isAct = isActKind(saved.credSource)
  const [edition, setEdition] = useState(0)
  const save = useMutation({
    mutationFn: ({ form }: { form: Form; verifiedBy: string }) => changeCredential(id, { ...form, version }),
    onSuccess: (changed, { verifiedBy }) => {
      start(changed)
      if (verifiedBy !== kind) setEdition((current) => current + 1)
      setWanted(verifiedBy)
      toast(texts.saved)
    },
  })
  const remove = useMutation({
    mutationFn: () => deleteCredential(id),
    onSuccess: () => {
      toast(texts.deleted(name))
      forgetUnsaved()
      navigate(curatorSpaceId === null ? '/content' : `/content/spaces/${curatorSpaceId}`)
    },
  })
  /** Whether the form of the source starts again. A stored source does not start it, because its form is shown already. */
  const restartsSource = (form: Form, verifiedBy: string) =>
    form.credSource !== saved.credSource || (!isAct && (form.credType !== saved.credType || verifiedBy !== kind))
  return (
    <PageLayout
      title={name}
      parent={curatorSpaceId === null ? undefined : <SpaceLink spaceId={curatorSpaceId} />}
      lead={`${t.holders(itemCount)} · ${texts.id(id)}`}
      actions={
        <Button component={Link} href={`/explore/credentials/${id}`} variant="default">
          {texts.view}
        </Button>
      }
    >
      {credential.sourceKind === null && itemCount === 0 && <MissingSource kind={wanted} />}
      <CredentialForm
        key={saved.version}
        saved={formOf(saved)}
        action={shell.save}
        pending={save.isPending}
        error={save.error}
        verifiedBy={kind}
        save={(form, verifiedBy) => {
          if (!restartsSource(form, verifiedBy) || mayClose(source, t.restartsSource)) save.mutate({ form, verifiedBy })
        }}
        reload={() => {
          if (mayClose(source)) reload(save)
        }}
      >
        <ConfirmButton
          size="sm"
          label={texts.delete}
          name={texts.deleteNamed(name)}
          question={t.question}
          pending={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </CredentialForm>
      <Fault error={remove.error} />
      <FormPart value={source}>
        <SourceSection
          key={isAct ? saved.credSource : `${saved.credSource} ${saved.credType} ${edition}`}
          credential={saved}
          wanted={kind}
        />
      </FormPart>
    </PageLayout>
  )
}

/** The fields that the form changes. */
function formOf({ name, description, credType, credSource, chain, referenceLink }: EditedCredential): Form {
  return { name, description, credType, credSource, chain, referenceLink }
}
