import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { deleteSpace, type EditedSpace } from '../api/content.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { content as texts, shell } from '../texts/index.ts'

const t = texts.space

/** Deletes a space after its name has been typed. */
export function DeleteSpace({ space: { spaceId, name } }: { space: EditedSpace }) {
  const [, navigate] = useLocation()
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const remove = useMutation({
    mutationFn: () => deleteSpace(spaceId),
    onSuccess() {
      toast(texts.deleted(name))
      navigate('/content', { replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed === name) remove.mutate()
  }
  return (
    <Section title={t.remove} lead={t.removeLead}>
      {open ? (
        <form className="inset" onSubmit={submit}>
          <Stack gap="sm" maw="28rem">
            <TextInput
              label={t.removeConfirm(name)}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <Group>
              <Button type="submit" color="red" disabled={typed !== name} loading={remove.isPending}>
                {t.removeFor}
              </Button>
              <Button variant="default" onClick={() => setOpen(false)}>
                {shell.cancel}
              </Button>
            </Group>
            <Fault error={remove.error} />
          </Stack>
        </form>
      ) : (
        <div>
          <Button variant="subtle" color="red" onClick={() => setOpen(true)}>
            {t.remove}
          </Button>
        </div>
      )}
    </Section>
  )
}
