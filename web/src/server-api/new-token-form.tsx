import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Area, AREAS, createToken, type IssuedToken } from '../api/tokens.ts'
import { Fault } from '../shell/fault.tsx'
import { texts as shell } from '../texts/shell.ts'
import { texts } from '../texts/server-api.ts'
import { expiryAfter, expiryChoices } from './expiry.ts'

const t = texts.tokens

/** What a new token is called, what it may read, and how long. */
export function NewTokenForm({ onMade, onCancel }: { onMade: (token: IssuedToken) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [areas, setAreas] = useState<string[]>([...AREAS])
  const [days, setDays] = useState('never')
  const create = useMutation({
    mutationFn: () => createToken({ name: name.trim(), areas: areas as Area[], ...expiryAfter(days) }),
    onSuccess: onMade,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form onSubmit={submit} className="inset">
      <Stack gap="sm" maw="28rem">
        <TextInput
          label={t.name}
          description={t.nameHelp}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          autoComplete="off"
          autoFocus
          required
        />
        <Checkbox.Group label={t.areas} value={areas} onChange={setAreas}>
          <Group gap="md" mt={4}>
            {AREAS.map((area) => (
              <Checkbox key={area} value={area} label={t.areaNames[area]} />
            ))}
          </Group>
        </Checkbox.Group>
        <NativeSelect
          label={t.expiry}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={expiryChoices}
        />
        <Fault error={create.error} />
        <Group>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === '' || areas.length === 0}>
            {t.create}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
