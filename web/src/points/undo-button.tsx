import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type LedgerEntry, reverseEntry } from '../api/points.ts'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { points as t, shell } from '../texts/index.ts'

interface UndoButtonProps {
  spaceId: number
  entry: LedgerEntry
}

export function UndoButton({ spaceId, entry }: UndoButtonProps) {
  const { id, amount, pending, availableAt } = entry
  const [asking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  // An award has its own time, and the entry that makes its points available has none.
  const isPending = availableAt !== null && Date.parse(availableAt) > Date.now()
  const isTyped = reason.trim() !== ''
  useUnsaved(isTyped)
  const undo = useMutation({
    mutationFn: () => reverseEntry(spaceId, id, reason.trim()),
    onSuccess: ({ status }) => {
      toast(status === 'applied' ? t.undone : t.already)
      discard()
    },
  })
  const discard = () => {
    setAsking(false)
    setReason('')
    if (!undo.isPending) undo.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isTyped) undo.mutate()
  }
  return (
    <Popover
      opened={asking}
      // Escape and a click beside the dialog keep the reason.
      onChange={setAsking}
      trapFocus
      returnFocus
      withArrow
      shadow="md"
      width={300}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Button size="xs" variant="default" aria-label={t.undoNamed(id)} onClick={() => setAsking(!asking)}>
          {t.undo}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.undoNamed(id)} aria-labelledby={undefined}>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Text size="sm">
              {isPending
                ? t.undoPending
                : (amount === 0 ? (pending ?? 0) : amount) < 0
                  ? t.undoSubtraction
                  : t.undoLead}
            </Text>
            <TextInput
              label={t.reason}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
              maxLength={500}
              autoComplete="off"
              data-autofocus
              required
            />
            <Fault error={undo.error} />
            <Group gap="xs" justify="flex-end">
              <Button size="xs" variant="default" onClick={discard}>
                {shell.cancel}
              </Button>
              <Button size="xs" type="submit" color="red" loading={undo.isPending} disabled={!isTyped}>
                {t.undo}
              </Button>
            </Group>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
