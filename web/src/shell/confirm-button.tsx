import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../texts/shell.ts'

interface ConfirmButtonProps {
  label: string
  /** What a screen reader says, where many buttons of a page have the same label. */
  name?: string
  question: string
  pending?: boolean
  onConfirm: () => void
}

/** For what cannot be taken back: the first click asks, in place, and the second does it. */
export function ConfirmButton({ label, name, question, pending = false, onConfirm }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false)
  if (!asking)
    return (
      <Button variant="default" size="xs" aria-label={name ?? label} loading={pending} onClick={() => setAsking(true)}>
        {label}
      </Button>
    )
  return (
    <Group gap="xs" className="confirm" role="group" aria-label={question}>
      <Text size="sm">{question}</Text>
      <Button
        size="xs"
        color="red"
        onClick={() => {
          setAsking(false)
          onConfirm()
        }}
      >
        {texts.yes}
      </Button>
      <Button size="xs" variant="default" autoFocus onClick={() => setAsking(false)}>
        {texts.no}
      </Button>
    </Group>
  )
}
