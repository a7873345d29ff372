import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { createIngestToken, type IssuedIngestToken } from '../api/ingest-tokens.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { hooks as texts, shell, serverApi } from '../texts/index.ts'
import { expiryAfter, expiryChoices } from './expiry.ts'
import { Picker } from '../pickers/picker.tsx'
import * as sources from '../pickers/source.ts'

const common = serverApi.tokens

interface NewIngestTokenFormProps {
  onMade: (token: IssuedIngestToken) => void
  onCancel: () => void
}

export function NewIngestTokenForm({ onMade, onCancel }: NewIngestTokenFormProps) {
  const [name, setName] = useState('')
  const [spaces, setSpaces] = useState<string[]>([])
  const [starboards, setStarboards] = useState<string[]>([])
  const [credentials, setCredentials] = useState<string[]>([])
  const [days, setDays] = useState('never')
  const create = useMutation({
    mutationFn: () =>
      createIngestToken({
        name: name.trim(),
        spaces: spaces.map(Number),
        starboards,
        credentials,
        ...expiryAfter(days),
      }),
    onSuccess: onMade,
  })
  const input = { name, spaces, starboards, credentials, days }
  const saving = { pending: create.isPending, error: create.error }
  const faultOf = useFaults(saving, input)
  useUnsavedInput(input, saving)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} className="inset">
      <Stack gap="sm" maw="28rem">
        <TextInput
          label={common.name}
          value={name}
          error={faultOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          autoFocus
          required
        />
        <Picker
          source={sources.spaces}
          label={texts.ids.spaces}
          value={spaces}
          error={faultOf('spaces', shell.entry)}
          onChange={setSpaces}
        />
        <Picker
          source={sources.starboards}
          label={texts.ids.starboards}
          value={starboards}
          error={faultOf('starboards', shell.entry)}
          onChange={setStarboards}
        />
        <Picker
          source={sources.credentials}
          label={texts.ids.credentials}
          value={credentials}
          error={faultOf('credentials', shell.entry)}
          onChange={setCredentials}
        />
        <NativeSelect
          label={common.expiry}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={expiryChoices}
        />
        <FormFault error={create.error} shown={Object.keys(input)} withEntries labels={{ expiresAt: common.expiry }} />
        <Group>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
            {common.create}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
