import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  changeCredential,
  type CredentialForm as Form,
  credentialQuery,
  deleteCredential,
  type EditedCredential,
  spaceQuery,
} from '../api/content.ts'
import { kindsQuery, removeSource } from '../api/sources.ts'
import type { PageProps } from '../navigation/page.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { PageLayout } from '../shell/page-layout.tsx'
import { toast } from '../shell/toasts.tsx'
import { isUnreadable, UnreadableContent } from '../explore/unreadable-page.tsx'
import { forgetUnsaved, mayClose, FormPart, useFormPart } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts, shell, sources } from '../texts/index.ts'
import { DeleteButton } from './delete-button.tsx'
import { isActKind } from './act-source.tsx'
import { type CredentialDraft, CredentialForm } from './credential-form.tsx'
import { mayEdit, mayManage } from './rights.ts'
import { MissingSource } from './missing-source.tsx'
import { HolderTable } from './holder-table.tsx'
import { ListForm } from './list-form.tsx'
import { SourceSection } from './source-section.tsx'
import { OWN_LIST } from './source-texts.ts'
import { SpaceLink } from './space-link.tsx'
import { useEdited } from './use-edited.ts'

const t = texts.credential

/** `/content/credentials/:id`: edits and deletes a credential. */
export default function CredentialPage({ params: { id = '' } }: PageProps) {
  const credential = useQuery(credentialQuery(id))
  if (credential.isPending) return <Loading />
  if (isUnreadable(credential))
    return <UnreadableContent kind="credentials" error={credential.error} retry={() => void credential.refetch()} />
  return <Credential key={id} credential={credential.data} readAgain={credential.refetch} />
}

interface CredentialProps {
  credential: EditedCredential
  readAgain: () => Promise<{ data: EditedCredential | undefined }>
}

function Credential({ credential, readAgain }: CredentialProps) {
  const { id, name, curatorSpaceId, itemCount } = credential
  const { saved, version, start, keepInput, reload } = useEdited(credential, readAgain)
  const [, navigate] = useLocation()
  const [wanted, setWanted] = useState(credential.credSource === 'CSV' ? OWN_LIST : credential.credSource)
  const kinds = useQuery(kindsQuery).data
  const space = useQuery({ ...spaceQuery(String(curatorSpaceId)), enabled: curatorSpaceId !== null, retry: false })
  const kind = saved.sourceKind ?? wanted
  const source = useFormPart()
  const isAct = isActKind(saved.credSource)
  /** The kind of a source; undefined for a list without a source. */
  const sourceKind = kinds?.find((one) => one.kind === kind)
  const hasList = isAct || saved.sourceKind === null || sourceKind?.lists !== false
  const canEdit = curatorSpaceId === null || space.data === undefined || mayEdit(space.data.standing)
  const canDelete = curatorSpaceId === null || (space.data !== undefined && mayManage(space.data.standing))
  const [edition, setEdition] = useState(0)
  const save = useMutation({
    async mutationFn({ form, verifiedBy }: CredentialDraft) {
      const changed = await changeCredential(id, { ...form, version })
      if (!removesSource(verifiedBy)) return changed
      // If the removal fails, the next attempt is based on this change.
      keepInput(changed)
      await removeSource(id)
      return { ...changed, sourceKind: null }
    },
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
  /** Whether the credential becomes a list without a source. */
  const removesSource = (verifiedBy: string) =>
    credential.sourceKind !== null && kinds?.every((one) => one.kind !== verifiedBy) === true
  return (
    <PageLayout
      title={name}
      parent={curatorSpaceId === null ? undefined : <SpaceLink spaceId={curatorSpaceId} />}
      lead={`${t.holders(itemCount)} · ${texts.id(id)}`}
      actions={
        <>
          {curatorSpaceId !== null && canEdit && (
            <Button
              component={Link}
              href={`/content/spaces/${curatorSpaceId}/new-quest?credential=${id}`}
              variant={credential.sourceKind === null && itemCount === 0 ? 'default' : 'filled'}
            >
              {t.useInQuest}
            </Button>
          )}
          <Button component={Link} href={`/explore/credentials/${id}`} variant="default">
            {texts.view}
          </Button>
        </>
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
          if (removesSource(verifiedBy) && !window.confirm(sources.removeQuestion)) return
          if (!restartsSource(form, verifiedBy) || mayClose(source, t.restartsSource)) save.mutate({ form, verifiedBy })
        }}
        reload={() => {
          if (mayClose(source)) reload(save)
        }}
      >
        {canDelete && <DeleteButton name={name} question={t.question} remove={remove} />}
      </CredentialForm>
      <Fault error={remove.error} />
      <FormPart value={source}>
        {kinds && sourceKind === undefined ? (
          canEdit && <ListForm key={saved.credType} credentialId={id} />
        ) : (
          <SourceSection
            key={isAct ? saved.credSource : `${saved.credSource} ${saved.credType} ${edition}`}
            credential={saved}
            wanted={kind}
          />
        )}
      </FormPart>
      {canEdit && hasList && itemCount > 0 && <HolderTable credentialId={id} />}
    </PageLayout>
  )
}

/** The fields that the form changes. */
function formOf({ name, description, credType, credSource, chain, referenceLink }: EditedCredential): Form {
  return { name, description, credType, credSource, chain, referenceLink }
}
