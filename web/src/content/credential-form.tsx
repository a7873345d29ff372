import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { isWebLink } from '../../../server/src/text/links.ts'
import { CRED_SOURCES, CRED_TYPES, type CredentialForm as Form } from '../api/content.ts'
import { kindsQuery } from '../api/sources.ts'
import { Section } from '../shell/section.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { content as texts, sources } from '../texts/index.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { ChainField } from './chain-field.tsx'
import { describedKind, filledBy, groupKinds, OWN_LIST } from './source-texts.ts'
import type { FormState } from './space-form.tsx'
import './content.css'

const t = texts.credential
const FIELDS = ['name', 'description', 'credType', 'credSource', 'chain', 'referenceLink']

/** What the form contains. */
export interface CredentialDraft {
  form: Form
  verifiedBy: string
}

interface CredentialFormProps extends Omit<FormState<Form>, 'save' | 'action'> {
  /** The kind of the source, OWN_LIST, or the `credSource` of another list without a source; empty until one is chosen. */
  verifiedBy: string
  /** The label of the button; without it, another form of the page saves the draft. */
  action?: string
  /** Reports each change. */
  onDraft?: (draft: CredentialDraft) => void
  /** Asks before another choice of how the credential is verified; default: it does not ask. */
  mayChoose?: () => boolean
  /** Absent if another form of the page saves the draft. */
  save?: (form: Form, verifiedBy: string) => void
  children?: ReactNode
}

/** The fields of a credential. Its holders come from imports or from its source. */
export function CredentialForm({
  saved,
  verifiedBy,
  action,
  onDraft,
  mayChoose = () => true,
  pending,
  error,
  save,
  reload,
  children,
}: CredentialFormProps) {
  const [form, setForm] = useState<Form>(saved)
  const [by, setBy] = useState(verifiedBy)
  const report = useEffectEvent((draft: CredentialDraft) => onDraft?.(draft))
  useEffect(() => report({ form, verifiedBy: by }), [form, by])
  useUnsavedInput({ form, by }, { pending, error })
  const kinds = useQuery(kindsQuery).data ?? []
  const kind = kinds.find((one) => one.kind === by)
  const faultAt = useFaults({ pending, error }, form)
  const [checked, setChecked] = useState(false)
  // Links that were stored before they were checked do not block other changes.
  const link = form.referenceLink === saved.referenceLink ? form.referenceLink : form.referenceLink.trim()
  const isAllowed = link === '' || link === saved.referenceLink || isWebLink(link)
  const linkFault = checked && !isAllowed ? t.referenceLinkInvalid : undefined
  // Nothing is sent before a choice, so the service cannot refuse the name.
  const nameFault = checked && by === '' && form.name.trim() === '' ? t.nameMissing : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (isAllowed) save?.({ ...form, referenceLink: link }, by)
  }
  const choose = (name: string) => {
    if (!mayChoose()) return
    const chosen = kinds.find((one) => one.kind === name)
    setBy(name)
    setForm({
      ...form,
      credSource: chosen?.credSource ?? (name === OWN_LIST ? 'CSV' : name),
      credType: chosen?.credType ?? form.credType,
      referenceLink: chosen?.act ? saved.referenceLink : form.referenceLink,
      chain: saved.chain === null && chosen?.group !== 'chains' ? null : form.chain,
    })
  }
  const others = [...new Set([...CRED_SOURCES, by])].filter((name) => !kinds.some((one) => one.kind === name))
  const otherLists = others.filter((name) => name !== '' && name !== OWN_LIST)
  const types = CRED_TYPES.filter((type) => !kind?.credType || type === kind.credType || type === form.credType)
  return (
    <form onSubmit={submit} noValidate>
      <Section title={t.one}>
        <Stack gap="sm">
          <div className="content-fields">
            <TextInput
              className="content-wide"
              label={t.name}
              value={form.name}
              error={nameFault ?? faultAt('name')}
              onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
              autoComplete="off"
              required
            />
            <Textarea
              className="content-wide"
              label={t.description}
              value={form.description}
              error={faultAt('description')}
              onChange={(event) => setForm({ ...form, description: event.currentTarget.value })}
              autosize
              minRows={2}
              maxRows={12}
            />
            <NativeSelect
              className="content-wide"
              label={t.credSource}
              {...(by !== '' && { description: filledBy(kind) })}
              value={by}
              error={checked && by === '' ? t.chooseSource : faultAt('credSource')}
              onChange={(event) => choose(event.currentTarget.value)}
              data={[
                ...(by === '' ? [{ value: '', label: t.chooseSource }] : []),
                { value: OWN_LIST, label: describedKind(OWN_LIST) },
                ...groupKinds(kinds, describedKind),
                {
                  group: sources.groups.imported,
                  items: otherLists.map((value) => ({ value, label: describedKind(value) })),
                },
              ]}
              required
            />
            {by !== '' && (
              <NativeSelect
                className="content-wide"
                label={t.credType}
                value={form.credType}
                error={faultAt('credType')}
                onChange={(event) => setForm({ ...form, credType: event.currentTarget.value })}
                data={types.map((value) => ({
                  value,
                  label: (kind?.act ? t.actTypes[value] : undefined) ?? t.types[value] ?? value,
                }))}
              />
            )}
            {(kind?.group === 'chains' || saved.chain !== null) && (
              <ChainField
                label={t.chain}
                value={form.chain ?? ''}
                error={faultAt('chain')}
                onChange={(chain) => setForm({ ...form, chain: chain.trim() === '' ? null : chain })}
              />
            )}
            {/* Members meet a quiz or a visit on the page of the quest. */}
            {(!kind?.act || saved.referenceLink !== '') && (
              <TextInput
                type="url"
                label={t.referenceLink}
                description={t.referenceLinkHelp}
                placeholder="https://"
                value={form.referenceLink}
                error={linkFault ?? faultAt('referenceLink')}
                onChange={(event) => setForm({ ...form, referenceLink: event.currentTarget.value })}
                onBlur={() => setChecked(true)}
              />
            )}
          </div>
          <FormFault error={error} shown={FIELDS} {...(reload && { reload })} />
          {action !== undefined && (
            <Group>
              <Button type="submit" loading={pending} disabled={by !== '' && form.name.trim() === ''}>
                {action}
              </Button>
              {children}
            </Group>
          )}
        </Stack>
      </Section>
    </form>
  )
}
