import { Button, Group, NativeSelect, Progress, Stack, Switch, Text } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { KINDS, uploadFile } from '../api/imports.ts'
import { Picker } from '../pickers/picker.tsx'
import { credentials } from '../pickers/source.ts'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { percent } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { forgetUnsaved, useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { imports as t } from '../texts/operator-pages.ts'
import { FileDrop } from './file-drop.tsx'

const kinds = [
  { value: '', label: t.byFields },
  ...KINDS.map((kind) => ({ value: kind, label: t.kinds[kind] ?? kind })),
]

/** Sends a file, and leads to the page of its import. */
export function ImportUpload() {
  const [file, setFile] = useState<File | null>(null)
  const [kind, setKind] = useState('')
  const [credentialId, setCredentialId] = useState('')
  const [replace, setReplace] = useState(false)
  const [share, setShare] = useState(0)
  const [, navigate] = useLocation()
  const stopping = useRef(new AbortController())
  const ofHolders = kind === 'holders'
  const upload = useMutation({
    mutationFn: (chosen: File) => {
      stopping.current = new AbortController()
      setShare(0)
      return uploadFile(chosen, {
        kind,
        credentialId: ofHolders ? credentialId : '',
        replace: ofHolders && replace,
        onProgress: setShare,
        signal: stopping.current.signal,
      })
    },
  })
  useUnsaved(file !== null || (ofHolders && credentialId !== ''))
  const stopped = upload.error?.name === 'AbortError'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Not in the options of useMutation: they would also leave a page that the user has opened since.
    if (!file) return
    upload.mutate(file, {
      onSuccess({ id }) {
        forgetUnsaved()
        navigate(`/operator/import/${id}`)
      },
    })
  }
  return (
    <Section title={t.upload}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <FileDrop file={file} onFile={setFile} disabled={upload.isPending} />
          <NativeSelect
            maw="34rem"
            label={t.kind}
            description={t.kindHelp}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value)}
            data={kinds}
          />
          {ofHolders && (
            <>
              <Picker
                single
                className="picker-alone"
                source={credentials}
                label={t.credential}
                description={t.credentialHelp}
                value={credentialId === '' ? [] : [credentialId]}
                onChange={([id = '']) => setCredentialId(id)}
              />
              <Switch
                label={t.replace}
                checked={replace}
                onChange={(event) => setReplace(event.currentTarget.checked)}
              />
            </>
          )}
          <Group>
            <Button type="submit" disabled={file === null} loading={upload.isPending}>
              {t.start}
            </Button>
            {upload.isPending && (
              <Button variant="default" onClick={() => stopping.current.abort()}>
                {t.stop}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {upload.isPending && <Sending share={share} />}
      {stopped ? (
        <Notice kind="warning" title={t.stopped} />
      ) : (
        <Fault error={upload.error} labels={{ kind: t.kind, credentialId: t.credential, fileName: t.file }} />
      )}
    </Section>
  )
}

function Sending({ share }: { share: number }) {
  return (
    <div>
      <Text size="sm" role="status">
        {t.sending(percent(share))}
      </Text>
      <Progress.Root size="sm" mt={6}>
        <Progress.Section value={100 * share} aria-label={t.progress} />
      </Progress.Root>
    </div>
  )
}
