import { Button, Group, Popover, Text } from '@mantine/core'
import { useState } from 'react'
import { shell as texts } from '../texts/index.ts'
import { destructive } from './destructive.ts'

interface ConfirmButtonProps {
  label: string
  /** The accessible name, if several buttons of the page have the same label. */
  name?: string
  question: string
  /** Next to buttons of the usual size: `sm`. */
  size?: 'xs' | 'sm'
  /** The main action of the page, which loses nothing. */
  primary?: boolean
  /** The action loses nothing, and is not the main one of the page. */
  neutral?: boolean
  pending?: boolean
  disabled?: boolean
  onConfirm: () => void
}

/** For actions that cannot be undone: asks in a dialog over the page, so that no other button moves. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, name, question, size = 'xs', primary = false, neutral = false } = props
  const { pending = false, disabled = false, onConfirm } = props
  const [asking, setAsking] = useState(false)
  const confirm = () => {
    setAsking(false)
    onConfirm()
  }
  return (
    <Popover
      opened={asking}
      onChange={setAsking}
      trapFocus
      returnFocus
      withArrow
      shadow="md"
      width={300}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Button
          {...(primary ? { variant: 'filled' } : neutral ? { variant: 'default' } : destructive)}
          size={size}
          aria-label={name ?? label}
          loading={pending}
          disabled={disabled}
          onClick={() => setAsking(!asking)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={question} aria-labelledby={undefined}>
        <Text size="sm" className="confirm-question">
          {question}
        </Text>
        <Group gap="xs" mt="sm" justify="flex-end">
          <Button size="xs" variant="default" data-autofocus onClick={() => setAsking(false)}>
            {texts.cancel}
          </Button>
          <Button size="xs" {...(!primary && !neutral && { color: 'red' })} onClick={confirm}>
            {label}
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
