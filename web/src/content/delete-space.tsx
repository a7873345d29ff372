import { Button } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { deleteSpace, type EditedSpace } from '../api/content.ts'
import { destructive } from '../shell/destructive.ts'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { TypedConfirmation } from '../shell/typed-confirmation.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'

const t = texts.space

/** Deletes a space after its name has been typed. */
export function DeleteSpace({ space: { spaceId, name } }: { space: EditedSpace }) {
  const [, navigate] = useLocation()
  const [open, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteSpace(spaceId),
    onSuccess() {
      toast(texts.deleted(name))
      forgetUnsaved()
      navigate('/content', { replace: true })
    },
  })
  return (
    <Section title={t.remove} lead={t.removeLead}>
      {open ? (
        <TypedConfirmation
          expected={name}
          label={t.removeConfirm(name)}
          action={t.removeFor}
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          cancel={() => setOpen(false)}
        />
      ) : (
        <div>
          <Button {...destructive} onClick={() => setOpen(true)}>
            {t.remove}
          </Button>
        </div>
      )}
    </Section>
  )
}
