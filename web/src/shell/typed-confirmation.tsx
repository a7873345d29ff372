import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { shell } from '../texts/index.ts'
import { Fault } from './fault.tsx'

interface TypedConfirmationProps {
  lead?: string
  /** The text that the user must type. */
  expected: string
  label: string
  action: string
  pending: boolean
  error: Error | null
  onConfirm: () => void
  cancel: () => void
}

/** For deletions of much data: asks to type a name first. */
export function TypedConfirmation(props: TypedConfirmationProps) {
  const { lead, expected, label, action, pending, error, onConfirm, cancel } = props
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed === expected) onConfirm()
  }
  return (
    <form className="inset" onSubmit={submit}>
      <Stack gap="sm" maw="28rem">
        {lead !== undefined && <Text size="sm">{lead}</Text>}
        <TextInput
          label={label}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group>
          <Button type="submit" color="red" disabled={typed !== expected} loading={pending}>
            {action}
          </Button>
          <Button variant="default" onClick={cancel}>
            {shell.cancel}
          </Button>
        </Group>
        <Fault error={error} />
      </Stack>
    </form>
  )
}
