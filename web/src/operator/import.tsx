import { Button, FileInput, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { importFile, type ImportState, KINDS } from '../api/imports.ts'
import { queryClient } from '../api/session.ts'
import { PageLayout } from '../shell/page-layout.tsx'
import { Section } from '../shell/section.tsx'
import { operator as texts } from '../texts/index.ts'
import { ImportProgress } from './import-progress.tsx'

const t = texts.imports
const kinds = [
  { value: '', label: t.byFields },
  ...KINDS.map((kind) => ({ value: kind, label: t.kinds[kind] ?? kind })),
]
const ended = (state: ImportState | undefined) =>
  state === undefined || ['stored', 'refused', 'failed', 'stopped'].includes(state.at)

/** `/operator/import` */
export default function ImportPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <Import />
    </PageLayout>
  )
}

/** A file in, as `questboard import` takes it. */
function Import() {
  const [file, setFile] = useState<File | null>(null)
  const [kind, setKind] = useState('')
  const [credentialId, setCredentialId] = useState('')
  const [replace, setReplace] = useState(false)
  const [state, setState] = useState<ImportState>()
  const stop = useRef<() => void>(undefined)
  const ofHolders = kind === 'holders'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!file) return
    setState({ at: 'sending', share: 0 })
    const options = { kind, credentialId: ofHolders ? credentialId.trim() : '', replace: ofHolders && replace }
    stop.current = importFile(file, options, (now) => {
      setState(now)
      if (now.at === 'stored') void queryClient.invalidateQueries({ queryKey: ['explore'] })
    })
  }
  return (
    <Section title={t.one}>
      <form onSubmit={submit}>
        <Stack gap="sm" maw="34rem">
          <FileInput label={t.file} placeholder={t.choose} value={file} onChange={setFile} clearable={false} />
          <NativeSelect
            label={t.kind}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value)}
            data={kinds}
          />
          {ofHolders && (
            <>
              <TextInput
                label={t.credential}
                description={t.credentialHelp}
                value={credentialId}
                onChange={(event) => setCredentialId(event.currentTarget.value)}
                maxLength={19}
                autoComplete="off"
              />
              <Switch
                label={t.replace}
                checked={replace}
                onChange={(event) => setReplace(event.currentTarget.checked)}
              />
            </>
          )}
          <Group>
            <Button type="submit" disabled={file === null} loading={!ended(state)}>
              {t.start}
            </Button>
            {!ended(state) && (
              <Button variant="default" onClick={() => stop.current?.()}>
                {t.stop}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {state && <ImportProgress state={state} />}
    </Section>
  )
}
