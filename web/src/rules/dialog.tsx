import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { shell } from '../texts/index.ts'

interface DialogProps {
  opened: boolean
  close: () => void
  title: string
  action: string
  pending: boolean
  /** Whether the focus returns to the button that opened the dialog. Default: true. */
  returnFocus?: boolean
  onConfirm: () => void
  children: ReactNode
}

/** Shows the effects of an action, and asks for confirmation. */
export function Dialog({
  opened,
  close,
  title,
  action,
  pending,
  returnFocus = true,
  onConfirm,
  children,
}: DialogProps) {
  return (
    // Locking the scroll writes a style that the Content-Security-Policy forbids.
    <Modal.Root
      opened={opened}
      onClose={close}
      returnFocus={returnFocus}
      centered
      lockScroll={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body>
          <Stack gap="sm">
            <Modal.Title fw={600}>{title}</Modal.Title>
            {children}
            <Group gap="xs" justify="flex-end">
              <Button variant="default" onClick={close} disabled={pending}>
                {shell.cancel}
              </Button>
              <Button loading={pending} onClick={onConfirm} data-autofocus>
                {action}
              </Button>
            </Group>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
