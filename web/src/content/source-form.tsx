import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type SourceKind, type SourceSettings, type StoredSource } from '../api/sources.ts'
import type { SourceActions } from './act-source.tsx'
import { Notice } from '../shell/notice.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { content, shell, sources as texts } from '../texts/index.ts'
import { FormFault } from '../shell/form-faults.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { RemoveSource } from './remove-source.tsx'
import { type Draft, draftOf, type Input, isShown, sourceOf, storedValues } from './source-draft.ts'
import { isAtFields, sourceFaults } from './source-faults.ts'
import { SourceFields } from './source-fields.tsx'
import { filledBy, groupKinds } from './source-texts.ts'
import { SourceTrial } from './source-trial.tsx'

interface SourceFormProps extends SourceActions<SourceSettings> {
  /** The credential whose source can be removed; undefined if it has none. */
  removable?: string | undefined
  /** The kinds that fit the credential; one if it is chosen elsewhere. */
  kinds: readonly SourceKind[]
  /** The kind with which the form starts; undefined until one is chosen. */
  first: SourceKind | undefined
  stored: Pick<StoredSource, 'source' | 'version'>
  /** Starts the form again with the stored source, after this form has changed it. */
  restart: () => void
  /** Reads the source again, after another person has changed it, and restarts. */
  reload: () => void
}

/** The settings of a source of any kind, from the description of the kind. */
export function SourceForm({ removable, kinds, first, stored, restart, reload, ...actions }: SourceFormProps) {
  // A source that is read again, while a run is watched, does not discard the input.
  const [{ source, version }] = useState(stored)
  const savedFor = (kind: SourceKind | undefined) =>
    source?.kind === kind?.kind ? ((source as SourceSettings | null) ?? undefined) : undefined
  const [kind, setKind] = useState(first)
  const [draft, setDraft] = useState<Draft>(() => (first ? draftOf(first, savedFor(first)) : {}))
  const [address, setAddress] = useState('')
  const [unreadable, setUnreadable] = useState<{ path: string; message: string }>()
  const store = useMutation({ mutationFn: (settings: SourceSettings) => actions.save(settings, version) })
  const test = useMutation({
    mutationFn: (settings: SourceSettings) =>
      actions.test(settings, kind?.lists === false ? address.trim() : undefined),
  })
  useUnsavedInput({ kind: kind?.kind, draft }, { pending: store.isPending, error: store.error })
  const hidden = kind ? storedValues(kind, savedFor(kind)) : {}
  const error = store.error ?? test.error
  const paths = (kind?.fields ?? []).filter((field) => isShown(field, draft)).map(({ path }) => path)
  const faults = sourceFaults(error, paths, draft)
  const faultAt = (path: string) => (unreadable?.path === path ? unreadable.message : faults(path))
  const forget = () => {
    setUnreadable(undefined)
    store.reset()
    test.reset()
  }
  const choose = (name: string) => {
    const chosen = kinds.find((one) => one.kind === name)
    forget()
    setKind(chosen)
    setDraft(chosen ? draftOf(chosen, savedFor(chosen)) : {})
  }
  const change = (path: string, value: Input) => {
    test.reset()
    setDraft({ ...draft, [path]: value })
  }
  /** Starts a mutation; the result of the other one disappears. */
  const send = (started: typeof store | typeof test, other: { reset: () => void }) => {
    if (!kind) return
    setUnreadable(undefined)
    other.reset()
    const bad = kind.fields.find((field) => field.type === 'json' && !isJson(draft[field.path]))
    if (bad) return setUnreadable({ path: bad.path, message: texts.notJson })
    started.mutate(sourceOf(kind, draft, hidden))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(store, test)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {(kinds.length > 1 || kind === undefined) && (
          <NativeSelect
            className="content-lines"
            label={texts.kind}
            {...(kind && { description: filledBy(kind) })}
            value={kind?.kind ?? ''}
            error={faultAt('kind')}
            onChange={(event) => choose(event.currentTarget.value)}
            data={[...(kind ? [] : [{ value: '', label: texts.noKind }]), ...groupKinds(kinds)]}
          />
        )}
        {kind && (
          <>
            <SourceFields kind={kind} draft={draft} stored={hidden} faultAt={faultAt} onChange={change} />
            {!kind.lists && (
              <TextInput
                className="content-lines"
                label={texts.address}
                description={texts.addressHelp[kind.identityKind ?? ''] ?? texts.addressHelp.other}
                value={address}
                error={faultAt('address')}
                onChange={(event) => setAddress(event.currentTarget.value)}
                autoComplete="off"
                spellCheck={false}
              />
            )}
            {!isAtFields(error, [...paths, 'kind', 'address']) && (
              <FormFault error={error} shown={[]} reload={reload} />
            )}
            <Group>
              <Button
                type="submit"
                loading={store.isPending}
                {...(actions.action === undefined && { 'aria-label': content.source.save })}
              >
                {actions.action ?? shell.save}
              </Button>
              <Button
                variant="default"
                loading={test.isPending}
                disabled={store.isPending}
                onClick={() => send(test, store)}
              >
                {texts.test}
              </Button>
              {removable !== undefined && (
                <RemoveSource credentialId={removable} question={texts.removeQuestion} onRemoved={restart} />
              )}
            </Group>
            {test.data && <SourceTrial kind={kind} trial={test.data} address={address.trim()} />}
          </>
        )}
        {version !== null && source === null && <Notice kind="warning" title={texts.unreadable} />}
      </Stack>
    </form>
  )
}

function isJson(input: Input): boolean {
  if (typeof input !== 'string' || input.trim() === '') return true
  try {
    JSON.parse(input)
    return true
  } catch {
    return false
  }
}
